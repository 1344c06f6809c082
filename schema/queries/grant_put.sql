INSERT INTO "grant"(caller, machine, verb, class, granted_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (caller, machine, verb, class) DO NOTHING
