INSERT INTO push(push_id, machine, sequence, token, kind, body, state, accepted_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'intended', ?7)
