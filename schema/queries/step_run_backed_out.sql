UPDATE step_run SET state = 'backed_out', error = NULL, ended_at = ?4 WHERE migration = ?1 AND step = ?2 AND machine = ?3
