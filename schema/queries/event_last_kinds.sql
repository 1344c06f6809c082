SELECT container, kind FROM runtime_event WHERE machine = ?1 AND at >= ?2 AND container IS NOT NULL ORDER BY seq
