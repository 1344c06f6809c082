UPDATE config_key SET waiting = ?3 WHERE machine = ?1 AND key = ?2
