INSERT INTO config_snapshot(machine, taken_at, sha256, body) VALUES (?1, ?2, ?3, ?4) RETURNING id
