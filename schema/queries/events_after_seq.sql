SELECT seq, id, kind, body FROM runtime_event WHERE machine = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3
