SELECT caller, machine, verb, class FROM "grant" WHERE machine IN ('*', ?1) ORDER BY caller, machine, class, verb
