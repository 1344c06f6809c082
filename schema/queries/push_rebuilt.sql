-- A push as its machine remembers it. What it said is lost but for what stands in the body.
INSERT INTO push(push_id, machine, sequence, token, kind, body, state, accepted_at, ended_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (push_id) DO NOTHING
