DELETE FROM config_key WHERE machine = ?1
