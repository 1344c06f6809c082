-- Of a whole migration; of one step where ?2 is not 0, of one machine where ?3 is not empty.
SELECT step, machine, state, attempt, push_id, intended_at, ended_at, proof, error FROM step_run
WHERE migration = ?1 AND (?2 = 0 OR step = ?2) AND (?3 = '' OR machine = ?3) ORDER BY step, machine
