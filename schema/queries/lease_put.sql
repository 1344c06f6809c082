INSERT INTO lease(fleet, runner, token, claimed_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT(fleet) DO UPDATE SET runner = excluded.runner, token = excluded.token, claimed_at = excluded.claimed_at
