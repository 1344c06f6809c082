INSERT INTO migration_machine(migration, machine, machine_id, set_aside)
SELECT ?1, name, machine_id, set_aside FROM machine WHERE name = ?2
