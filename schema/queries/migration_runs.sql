SELECT token, runner, program, hash, began_at FROM migration_run WHERE migration = ?1 ORDER BY token
