INSERT INTO container(machine, id, name, image, state, mesh_held, assignment, started_at, restarts, observed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6 IS NOT NULL, ?6, ?7, ?8, ?9)
ON CONFLICT (machine, id) DO UPDATE SET name = excluded.name, image = excluded.image, state = excluded.state,
  mesh_held = excluded.mesh_held, assignment = excluded.assignment, pid = NULL, started_at = excluded.started_at,
  restarts = excluded.restarts, observed_at = excluded.observed_at, gone_at = NULL
