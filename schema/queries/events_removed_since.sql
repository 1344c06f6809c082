SELECT container, at FROM runtime_event WHERE machine = ?1 AND at >= ?2 AND kind = 'removed'
