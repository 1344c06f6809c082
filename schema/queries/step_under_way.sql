-- Where else a step runs, of the machines that take part.
SELECT s.machine FROM step_run s JOIN migration_machine m ON m.migration = s.migration AND m.machine = s.machine
WHERE s.migration = ?1 AND s.step = ?2 AND s.machine <> ?3 AND s.state = 'running' AND m.set_aside IS NULL
ORDER BY s.machine LIMIT 1
