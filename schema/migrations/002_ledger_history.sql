-- Who took a migration up, and every attempt of every step. user_version 1001 (1.1).

CREATE TABLE migration_run(            -- each time a runner took a migration up
  migration TEXT NOT NULL REFERENCES migration(id),
  token INTEGER NOT NULL,
  runner TEXT NOT NULL,
  program TEXT NOT NULL,               -- the version of berth that ran
  hash TEXT NOT NULL,                  -- of the fleet document it ran with
  began_at TEXT NOT NULL,
  PRIMARY KEY (migration, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE step_history(             -- every state a step run has had
  seq INTEGER PRIMARY KEY,
  migration TEXT NOT NULL,
  step INTEGER NOT NULL,
  machine TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  state TEXT NOT NULL,
  at TEXT NOT NULL,
  token INTEGER NOT NULL,              -- whose run it was
  runner TEXT NOT NULL,
  push_id TEXT,
  proof TEXT,                          -- of a done one, so that it outlives a back-out
  error TEXT
) STRICT;
CREATE INDEX step_history_by_machine ON step_history(migration, machine, seq);

CREATE TRIGGER step_run_remembered AFTER UPDATE OF state ON step_run WHEN old.state <> new.state
BEGIN
  INSERT INTO step_history(migration, step, machine, attempt, state, at, token, runner, push_id, proof, error)
  SELECT new.migration, new.step, new.machine, new.attempt, new.state,
         coalesce(CASE new.state WHEN 'running' THEN new.intended_at ELSE new.ended_at END, ''), m.token, m.runner,
         new.push_id, CASE new.state WHEN 'done' THEN new.proof END, new.error
  FROM migration m WHERE m.id = new.migration;
END;

CREATE TRIGGER step_history_fixed BEFORE UPDATE ON step_history
BEGIN SELECT RAISE(ABORT, 'step_history is history: no update'); END;
CREATE TRIGGER step_history_kept BEFORE DELETE ON step_history
BEGIN SELECT RAISE(ABORT, 'step_history is history: no delete'); END;
CREATE TRIGGER step_history_once BEFORE INSERT ON step_history
WHEN EXISTS (SELECT 1 FROM step_history WHERE seq = new.seq)
BEGIN SELECT RAISE(ABORT, 'step_history is history: this row is there already'); END;
CREATE TRIGGER migration_run_fixed BEFORE UPDATE ON migration_run
BEGIN SELECT RAISE(ABORT, 'migration_run is history: no update'); END;
CREATE TRIGGER migration_run_kept BEFORE DELETE ON migration_run
BEGIN SELECT RAISE(ABORT, 'migration_run is history: no delete'); END;

-- A token must be remembered under the fleet it was claimed for.
CREATE TRIGGER lease_identity BEFORE UPDATE OF fleet ON lease WHEN old.fleet <> new.fleet
BEGIN SELECT RAISE(ABORT, 'a lease keeps its fleet'); END;
