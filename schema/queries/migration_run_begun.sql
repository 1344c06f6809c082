INSERT INTO migration_run(migration, token, runner, program, hash, began_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
