SELECT step, attempt, state, at, token, runner, push_id, proof, error FROM step_history
WHERE migration = ?1 AND machine = ?2 ORDER BY seq
