SELECT step, machine, state, attempt, push_id, intended_at, ended_at, proof, error FROM step_run
WHERE migration = ?1 ORDER BY step, machine
