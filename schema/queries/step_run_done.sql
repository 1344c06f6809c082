UPDATE step_run SET state = 'done', proof = ?4, ended_at = ?5, error = NULL
WHERE migration = ?1 AND step = ?2 AND machine = ?3
