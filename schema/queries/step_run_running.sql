UPDATE step_run SET state = 'running', attempt = attempt + 1, push_id = ?4, proof = ?5, intended_at = ?6, ended_at = NULL,
  error = NULL
WHERE migration = ?1 AND step = ?2 AND machine = ?3
