INSERT INTO config_key(machine, key, value, owner, planned, decision, waiting) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
