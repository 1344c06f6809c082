SELECT machine, machine_id, set_aside FROM migration_machine WHERE migration = ?1 ORDER BY machine
