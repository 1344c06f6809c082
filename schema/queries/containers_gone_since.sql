SELECT id, gone_at FROM container WHERE machine = ?1 AND gone_at >= ?2
