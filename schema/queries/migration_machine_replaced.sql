UPDATE migration_machine SET machine_id = ?3 WHERE migration = ?1 AND machine = ?2
