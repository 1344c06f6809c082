-- title: Migration proofs
-- asks: Which step of which migration is done on which machine, and what was observed as its proof?
-- param: machine
SELECT s.migration, s.step, s.machine, s.state, s.attempt, s.intended_at, s.ended_at, mm.set_aside, s.error, s.proof
FROM step_run s
JOIN migration_machine mm ON mm.migration = s.migration AND mm.machine = s.machine
WHERE :machine IS NULL OR s.machine = :machine
ORDER BY s.migration, s.step, s.machine
