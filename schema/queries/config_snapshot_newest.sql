SELECT body FROM config_snapshot WHERE machine = ?1 ORDER BY id DESC LIMIT 1
