-- The order of steps, also where a machine comes late or goes back late. user_version 1003 (1.3).

-- A step that runs while a machine that takes part has not done the one before. step_run_order keeps one from beginning so;
-- the triggers below keep the ledger from coming there by the other side.
CREATE INDEX step_run_under_way ON step_run(migration) WHERE state = 'running';
CREATE VIEW step_out_of_order AS
SELECT ahead.migration, ahead.step, ahead.machine, late.machine AS late
FROM step_run ahead
JOIN migration_machine mine ON mine.migration = ahead.migration AND mine.machine = ahead.machine AND mine.set_aside IS NULL
JOIN migration_machine late ON late.migration = ahead.migration AND late.set_aside IS NULL
WHERE ahead.state = 'running' AND ahead.step > 1 AND NOT EXISTS (
  SELECT 1 FROM step_run s WHERE s.migration = late.migration AND s.machine = late.machine
  AND s.step = ahead.step - 1 AND s.state = 'done');

CREATE TRIGGER migration_machine_brought_in AFTER UPDATE OF set_aside ON migration_machine
WHEN old.set_aside IS NOT NULL AND new.set_aside IS NULL
  AND EXISTS (SELECT 1 FROM step_out_of_order WHERE migration = new.migration)
BEGIN SELECT RAISE(ABORT, 'a step is under way that would wait for this machine: end it first, or set aside where it runs'); END;
CREATE TRIGGER migration_machine_added AFTER INSERT ON migration_machine
WHEN new.set_aside IS NULL AND EXISTS (SELECT 1 FROM step_out_of_order WHERE migration = new.migration)
BEGIN SELECT RAISE(ABORT, 'a step is under way that would wait for this machine: end it first, or set aside where it runs'); END;
CREATE TRIGGER step_run_back_out_late AFTER UPDATE OF state ON step_run
WHEN old.state = 'done' AND new.state = 'backed_out'
  AND EXISTS (SELECT 1 FROM step_out_of_order WHERE migration = new.migration)
BEGIN SELECT RAISE(ABORT, 'the next step is under way on another machine and rests on this one: end it first, or set aside where it runs'); END;

-- Step 5 takes the other path away from all or from none: nobody is set aside while it runs on another machine. Where it
-- hangs itself, a machine may be.
CREATE TRIGGER migration_machine_set_aside_late BEFORE UPDATE OF set_aside ON migration_machine
WHEN old.set_aside IS NULL AND new.set_aside IS NOT NULL AND EXISTS (
  SELECT 1 FROM step_run s WHERE s.migration = new.migration AND s.machine <> new.machine
  AND s.step = 5 AND s.state = 'running')
AND NOT EXISTS (
  SELECT 1 FROM step_run own WHERE own.migration = new.migration AND own.machine = new.machine
  AND own.step = 5 AND own.state = 'running')
BEGIN SELECT RAISE(ABORT, 'step 5 is under way on another machine and waits for all: end it with a run before one is set aside'); END;
CREATE TRIGGER migration_machine_added_aside BEFORE INSERT ON migration_machine
WHEN new.set_aside IS NOT NULL AND EXISTS (
  SELECT 1 FROM step_run s WHERE s.migration = new.migration AND s.machine <> new.machine
  AND s.step = 5 AND s.state = 'running')
BEGIN SELECT RAISE(ABORT, 'step 5 is under way on another machine and waits for all: end it with a run before one is set aside'); END;

-- Since when a machine's host goes the holder's way: few reports say another, so this is small, and is asked instead of all.
CREATE INDEX apply_report_elsewhere ON apply_report(machine, at) WHERE path <> 'holder';
