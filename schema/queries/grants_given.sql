SELECT caller, machine, verb, class FROM "grant" ORDER BY caller, machine, class, verb
