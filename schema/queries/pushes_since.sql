SELECT push_id, kind, state, accepted_at, ended_at, token FROM push
WHERE machine = ?1 AND accepted_at >= ?2 ORDER BY accepted_at, sequence
