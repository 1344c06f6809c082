UPDATE step_run SET state = 'failed', error = ?4, ended_at = ?5 WHERE migration = ?1 AND step = ?2 AND machine = ?3
