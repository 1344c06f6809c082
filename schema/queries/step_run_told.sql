UPDATE step_run SET error = ?4 WHERE migration = ?1 AND step = ?2 AND machine = ?3 AND state = 'running'
