INSERT INTO verb_call(machine, at, face, caller, verb, target, outcome, detail, duration_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
