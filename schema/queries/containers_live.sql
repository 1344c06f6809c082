SELECT id, name, image, state, assignment, started_at, restarts FROM container WHERE machine = ?1 AND gone_at IS NULL
