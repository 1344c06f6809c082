-- The machines that take part and have a step before them.
SELECT m.machine FROM migration_machine m JOIN step_run s ON s.migration = m.migration AND s.step = ?2 AND s.machine = m.machine
WHERE m.migration = ?1 AND m.set_aside IS NULL AND s.state <> 'done' ORDER BY m.machine
