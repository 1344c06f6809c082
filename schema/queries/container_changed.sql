INSERT INTO container(machine, id, name, image, state, mesh_held, assignment, started_at, observed_at, gone_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6 IS NOT NULL, ?6, ?7, ?8, ?9)
ON CONFLICT (machine, id) DO UPDATE SET name = excluded.name, state = excluded.state, pid = NULL,
  started_at = coalesce(excluded.started_at, started_at), observed_at = excluded.observed_at, gone_at = excluded.gone_at
WHERE excluded.observed_at >= observed_at
