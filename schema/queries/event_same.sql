SELECT count(*) FROM runtime_event WHERE machine = ?1 AND at = ?2 AND container = ?3 AND kind = ?4
