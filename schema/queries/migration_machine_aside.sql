UPDATE migration_machine SET set_aside = ?3 WHERE migration = ?1 AND machine = ?2
