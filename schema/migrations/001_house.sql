-- One schema for every store: the host's, the holder's and the operator's. user_version 1000 (1.0).
-- Times are RFC 3339 UTC with nine digits, so that text order is time order. JSON columns hold documents.

CREATE TABLE store_identity(           -- one row: which file this is
  only INTEGER PRIMARY KEY CHECK (only = 1),
  store TEXT NOT NULL CHECK (length(store) = 8),   -- 8 hex made with the file; part of every event and report id
  role TEXT NOT NULL CHECK (role IN ('host', 'holder', 'fleet')),
  made_at TEXT NOT NULL
) STRICT;

CREATE TABLE setting(                  -- a program's own durable facts: latch, cursor, highest token
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE retention(                -- history may be deleted only below this horizon
  history TEXT PRIMARY KEY CHECK (history IN ('runtime_event', 'verb_call', 'apply_report', 'config_snapshot')),
  horizon TEXT NOT NULL
) STRICT;

CREATE TABLE machine(
  name TEXT PRIMARY KEY,
  machine_id TEXT NOT NULL UNIQUE,
  set_aside TEXT,                      -- the reason, null when it takes part
  host_version TEXT,
  cli_path TEXT CHECK (cli_path IN ('present', 'absent')),
  seen_at TEXT
) STRICT;

CREATE TABLE config_snapshot(          -- a machine as it was read, verbatim
  id INTEGER PRIMARY KEY,
  machine TEXT NOT NULL REFERENCES machine(name),
  taken_at TEXT NOT NULL,
  sha256 TEXT NOT NULL,                -- of the engine's file
  body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;

CREATE TABLE config_key(               -- who set each key of the engine's file, as of the newest snapshot
  machine TEXT NOT NULL REFERENCES machine(name),
  key TEXT NOT NULL,
  value TEXT,                          -- JSON as found; null when only a flag sets it
  owner TEXT NOT NULL,                 -- a record id (module.id), 'flag' or 'hand'
  planned TEXT,                        -- JSON the runtime module would write
  decision TEXT CHECK (decision IN ('default', 'keep', 'setting')),
  waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting IN (0, 1)),  -- the engine has not taken it yet
  PRIMARY KEY (machine, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE resource_record(          -- what the host applied, and what it found there before
  machine TEXT NOT NULL,
  id TEXT NOT NULL,                    -- bare (carried) or module.id (declared)
  module TEXT,                         -- null for carried
  type TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('carried', 'declared')),
  state TEXT NOT NULL CHECK (state IN ('intended', 'applied', 'giving_back')),
  declared TEXT NOT NULL CHECK (json_valid(declared)),
  found TEXT NOT NULL CHECK (json_valid(found)),
  applied TEXT CHECK (applied IS NULL OR json_valid(applied)),   -- what was done: a container's id and hash, bytes written
  push_id TEXT,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (machine, id),
  CHECK ((origin = 'carried') = (module IS NULL)),
  CHECK (origin = 'carried' OR id = module || '.' || substr(id, length(module) + 2))
) STRICT, WITHOUT ROWID;

CREATE TABLE resource_history(         -- every value a record ever had, written by trigger
  seq INTEGER PRIMARY KEY,
  machine TEXT NOT NULL,
  id TEXT NOT NULL,
  change TEXT NOT NULL CHECK (change IN ('insert', 'update', 'delete')),
  before TEXT,                         -- the whole row as JSON, null for insert
  push_id TEXT,                        -- the push that made the change
  at TEXT NOT NULL
) STRICT;

CREATE TABLE container(                -- last observation; never used to answer a verb
  machine TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  image TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('created','running','paused','restarting','removing','exited','dead','unknown')),
  mesh_held INTEGER NOT NULL CHECK (mesh_held IN (0, 1)),
  assignment TEXT,
  pid INTEGER,
  started_at TEXT,
  restarts INTEGER NOT NULL DEFAULT 0,
  observed_at TEXT NOT NULL,
  gone_at TEXT,
  PRIMARY KEY (machine, id),
  CHECK (mesh_held = (assignment IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE runtime_event(
  id TEXT PRIMARY KEY,                 -- <machine>:<store>:<seq>
  machine TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('created','started','stopped','died','removed','health','gap')),
  at TEXT NOT NULL,
  container TEXT,
  body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;
CREATE INDEX runtime_event_by_machine ON runtime_event(machine, at);

CREATE TABLE verb_call(                -- every changing call and every refusal
  seq INTEGER PRIMARY KEY,
  machine TEXT NOT NULL,
  at TEXT NOT NULL,
  face TEXT NOT NULL CHECK (face IN ('socket', 'bus')),
  caller TEXT NOT NULL,
  verb TEXT NOT NULL,
  target TEXT,
  outcome TEXT NOT NULL,               -- 'ok' or an error code
  detail TEXT,
  duration_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE push(                     -- host: pushes accepted; operator: pushes sent
  push_id TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  token INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('apply', 'hand_over', 'back_out')),
  body TEXT NOT NULL CHECK (json_valid(body)),
  state TEXT NOT NULL CHECK (state IN ('intended', 'accepted', 'applied', 'failed', 'refused')),
  report TEXT CHECK (report IS NULL OR json_valid(report)),
  accepted_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE INDEX push_by_machine ON push(machine, sequence);

CREATE TABLE apply_report(
  machine TEXT NOT NULL,
  store TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  push_id TEXT,
  result TEXT NOT NULL CHECK (result IN ('converged', 'unchanged', 'refused', 'failed')),
  path TEXT NOT NULL CHECK (path IN ('holder', 'cli', 'none')),
  host_version TEXT NOT NULL,
  cli_path TEXT NOT NULL CHECK (cli_path IN ('present', 'absent')),
  body TEXT NOT NULL CHECK (json_valid(body)),
  PRIMARY KEY (machine, store, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX apply_report_by_time ON apply_report(machine, at);

CREATE TABLE outbox(                   -- what must still reach the bus, in order
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('report', 'event')),
  subject TEXT NOT NULL,
  message_id TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL CHECK (json_valid(body)),
  queued_at TEXT NOT NULL
) STRICT;

CREATE TABLE module(
  name TEXT PRIMARY KEY,
  manifest TEXT NOT NULL CHECK (json_valid(manifest)),
  imported_at TEXT NOT NULL
) STRICT;

CREATE TABLE seat(
  name TEXT PRIMARY KEY,
  scope TEXT NOT NULL CHECK (scope IN ('node', 'mesh')),
  document TEXT NOT NULL CHECK (json_valid(document)),
  seeded_at TEXT NOT NULL
) STRICT;

CREATE TABLE assignment(
  machine TEXT NOT NULL REFERENCES machine(name),
  module TEXT NOT NULL REFERENCES module(name),
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
  assigned_at TEXT NOT NULL,
  PRIMARY KEY (machine, module)
) STRICT, WITHOUT ROWID;

CREATE TABLE seat_hold(                -- from this row on, a container on that machine needs the seat held
  machine TEXT NOT NULL REFERENCES machine(name),
  seat TEXT NOT NULL REFERENCES seat(name),
  module TEXT NOT NULL,
  socket TEXT,                         -- the engine socket its holder stated last
  held_at TEXT NOT NULL,
  PRIMARY KEY (machine, seat),
  FOREIGN KEY (machine, module) REFERENCES assignment(machine, module)
) STRICT, WITHOUT ROWID;

CREATE TABLE "grant"(
  caller TEXT NOT NULL,
  machine TEXT NOT NULL,               -- a name or '*'
  verb TEXT NOT NULL,                  -- '*' reaches reading verbs only
  class TEXT NOT NULL CHECK (class IN ('read', 'act')),
  granted_at TEXT NOT NULL,
  PRIMARY KEY (caller, machine, verb, class),
  CHECK (NOT (verb = '*' AND class = 'act'))
) STRICT, WITHOUT ROWID;

CREATE TABLE issued_subject(
  machine TEXT NOT NULL REFERENCES machine(name),
  owner TEXT NOT NULL,                 -- the seat's name, or 'host'
  class TEXT NOT NULL CHECK (class IN ('read', 'act', 'event', 'push', 'ask', 'report')),
  name TEXT NOT NULL,                  -- verb or event kind; '' for the host's own
  subject TEXT NOT NULL UNIQUE,
  issued_at TEXT NOT NULL,
  PRIMARY KEY (machine, owner, class, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE migration(
  id TEXT PRIMARY KEY,
  fleet TEXT NOT NULL,
  document TEXT NOT NULL CHECK (json_valid(document)),
  hash TEXT NOT NULL,                  -- canonical hash of the fleet document it was planned from
  runner TEXT NOT NULL,
  token INTEGER NOT NULL,
  opened_at TEXT NOT NULL,
  closed_at TEXT
) STRICT;

CREATE TABLE migration_machine(
  migration TEXT NOT NULL REFERENCES migration(id),
  machine TEXT NOT NULL REFERENCES machine(name),
  machine_id TEXT NOT NULL,
  set_aside TEXT,
  PRIMARY KEY (migration, machine)
) STRICT, WITHOUT ROWID;

CREATE TABLE step_run(
  migration TEXT NOT NULL,
  step INTEGER NOT NULL CHECK (step BETWEEN 1 AND 5),
  machine TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'done', 'failed', 'backed_out')),
  attempt INTEGER NOT NULL DEFAULT 0,
  push_id TEXT,
  intended_at TEXT,
  ended_at TEXT,
  proof TEXT CHECK (proof IS NULL OR json_valid(proof)),
  error TEXT,
  PRIMARY KEY (migration, step, machine),
  FOREIGN KEY (migration, machine) REFERENCES migration_machine(migration, machine),
  CHECK (state <> 'done' OR (proof IS NOT NULL AND ended_at IS NOT NULL)),
  CHECK (state <> 'failed' OR error IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE lease(                    -- who runs, and the fencing token hosts check
  fleet TEXT PRIMARY KEY,
  runner TEXT NOT NULL,
  token INTEGER NOT NULL,
  claimed_at TEXT NOT NULL
) STRICT;

-- History takes no UPDATE, and DELETE only below the horizon that retention states.
CREATE TRIGGER config_snapshot_fixed BEFORE UPDATE ON config_snapshot
BEGIN SELECT RAISE(ABORT, 'config_snapshot is history: no update'); END;
CREATE TRIGGER config_snapshot_kept BEFORE DELETE ON config_snapshot
WHEN old.taken_at >= coalesce((SELECT horizon FROM retention WHERE history = 'config_snapshot'), '')
BEGIN SELECT RAISE(ABORT, 'config_snapshot is history: above the retention horizon'); END;
CREATE TRIGGER resource_history_fixed BEFORE UPDATE ON resource_history
BEGIN SELECT RAISE(ABORT, 'resource_history is history: no update'); END;
CREATE TRIGGER resource_history_kept BEFORE DELETE ON resource_history
BEGIN SELECT RAISE(ABORT, 'resource_history is history: no delete'); END;
CREATE TRIGGER runtime_event_fixed BEFORE UPDATE ON runtime_event
BEGIN SELECT RAISE(ABORT, 'runtime_event is history: no update'); END;
CREATE TRIGGER runtime_event_kept BEFORE DELETE ON runtime_event
WHEN old.at >= coalesce((SELECT horizon FROM retention WHERE history = 'runtime_event'), '')
BEGIN SELECT RAISE(ABORT, 'runtime_event is history: above the retention horizon'); END;
CREATE TRIGGER verb_call_fixed BEFORE UPDATE ON verb_call
BEGIN SELECT RAISE(ABORT, 'verb_call is history: no update'); END;
CREATE TRIGGER verb_call_kept BEFORE DELETE ON verb_call
WHEN old.at >= coalesce((SELECT horizon FROM retention WHERE history = 'verb_call'), '')
BEGIN SELECT RAISE(ABORT, 'verb_call is history: above the retention horizon'); END;
CREATE TRIGGER apply_report_fixed BEFORE UPDATE ON apply_report
BEGIN SELECT RAISE(ABORT, 'apply_report is history: no update'); END;
CREATE TRIGGER apply_report_kept BEFORE DELETE ON apply_report
WHEN old.at >= coalesce((SELECT horizon FROM retention WHERE history = 'apply_report'), '')
BEGIN SELECT RAISE(ABORT, 'apply_report is history: above the retention horizon'); END;

-- INSERT OR REPLACE would delete a row past the triggers above. A known id again changes nothing, which is
-- what a reader that drops known ids wants; a row number that was given by hand is refused.
CREATE TRIGGER runtime_event_once BEFORE INSERT ON runtime_event
WHEN EXISTS (SELECT 1 FROM runtime_event WHERE id = new.id)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER apply_report_once BEFORE INSERT ON apply_report
WHEN EXISTS (SELECT 1 FROM apply_report WHERE machine = new.machine AND store = new.store AND seq = new.seq)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER config_snapshot_once BEFORE INSERT ON config_snapshot
WHEN EXISTS (SELECT 1 FROM config_snapshot WHERE id = new.id)
BEGIN SELECT RAISE(ABORT, 'config_snapshot is history: this row is there already'); END;
CREATE TRIGGER resource_history_once BEFORE INSERT ON resource_history
WHEN EXISTS (SELECT 1 FROM resource_history WHERE seq = new.seq)
BEGIN SELECT RAISE(ABORT, 'resource_history is history: this row is there already'); END;
CREATE TRIGGER verb_call_once BEFORE INSERT ON verb_call
WHEN EXISTS (SELECT 1 FROM verb_call WHERE seq = new.seq)
BEGIN SELECT RAISE(ABORT, 'verb_call is history: this row is there already'); END;

-- Every value a record had. json_object keeps the whole row, found state included.
CREATE TRIGGER resource_record_inserted AFTER INSERT ON resource_record
BEGIN
  INSERT INTO resource_history(machine, id, change, before, push_id, at)
  VALUES (new.machine, new.id, 'insert', NULL, new.push_id, new.updated_at);
END;
CREATE TRIGGER resource_record_updated AFTER UPDATE ON resource_record
BEGIN
  INSERT INTO resource_history(machine, id, change, before, push_id, at)
  VALUES (old.machine, old.id, 'update',
    json_object('machine', old.machine, 'id', old.id, 'module', old.module, 'type', old.type, 'origin', old.origin,
      'state', old.state, 'declared', json(old.declared), 'found', json(old.found), 'applied', json(old.applied),
      'push_id', old.push_id, 'updated_at', old.updated_at), new.push_id, new.updated_at);
END;
CREATE TRIGGER resource_record_deleted AFTER DELETE ON resource_record
BEGIN
  INSERT INTO resource_history(machine, id, change, before, push_id, at)
  VALUES (old.machine, old.id, 'delete',
    json_object('machine', old.machine, 'id', old.id, 'module', old.module, 'type', old.type, 'origin', old.origin,
      'state', old.state, 'declared', json(old.declared), 'found', json(old.found), 'applied', json(old.applied),
      'push_id', old.push_id, 'updated_at', old.updated_at), old.push_id, old.updated_at);
END;
CREATE TRIGGER resource_record_keeps_found BEFORE UPDATE OF found ON resource_record
WHEN old.state <> 'intended' AND old.found IS NOT new.found
BEGIN SELECT RAISE(ABORT, 'a record''s found state never changes once it is applied'); END;

-- One migration open on a machine.
CREATE TRIGGER migration_machine_once BEFORE INSERT ON migration_machine
WHEN EXISTS (SELECT 1 FROM migration_machine mm JOIN migration m ON m.id = mm.migration
             WHERE mm.machine = new.machine AND m.closed_at IS NULL AND m.id <> new.migration)
BEGIN SELECT RAISE(ABORT, 'this machine has an open migration already'); END;
CREATE TRIGGER migration_reopened BEFORE UPDATE OF closed_at ON migration
WHEN old.closed_at IS NOT NULL AND new.closed_at IS NULL AND EXISTS (
  SELECT 1 FROM migration_machine mine JOIN migration_machine theirs ON theirs.machine = mine.machine
  JOIN migration m ON m.id = theirs.migration
  WHERE mine.migration = new.id AND theirs.migration <> new.id AND m.closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a machine of this migration has another open one'); END;

-- A step_run moves only along the arrows; step n+1 waits for step n on every machine not set aside.
CREATE TRIGGER step_run_starts_pending BEFORE INSERT ON step_run
WHEN new.state <> 'pending'
BEGIN SELECT RAISE(ABORT, 'a step run begins as pending'); END;
CREATE TRIGGER step_run_once BEFORE INSERT ON step_run
WHEN EXISTS (SELECT 1 FROM step_run WHERE migration = new.migration AND step = new.step AND machine = new.machine)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER step_run_arrows BEFORE UPDATE OF state ON step_run
WHEN old.state <> new.state AND NOT (
  (old.state = 'pending' AND new.state = 'running') OR
  (old.state = 'running' AND new.state IN ('done', 'failed', 'backed_out')) OR
  (old.state = 'failed' AND new.state IN ('running', 'backed_out')) OR
  (old.state = 'done' AND new.state = 'backed_out') OR
  (old.state = 'backed_out' AND new.state = 'running'))
BEGIN SELECT RAISE(ABORT, 'a step run moves pending, running, done or failed, backed_out'); END;
CREATE TRIGGER step_run_order BEFORE UPDATE OF state ON step_run
WHEN new.state = 'running' AND new.step > 1 AND EXISTS (
  SELECT 1 FROM migration_machine mm WHERE mm.migration = new.migration AND mm.set_aside IS NULL
  AND NOT EXISTS (SELECT 1 FROM step_run s WHERE s.migration = mm.migration AND s.machine = mm.machine
                  AND s.step = new.step - 1 AND s.state = 'done'))
BEGIN SELECT RAISE(ABORT, 'the step before is not done on every machine that is not set aside'); END;
CREATE TRIGGER step_run_last_needs_all BEFORE UPDATE OF state ON step_run
WHEN new.state = 'running' AND new.step = 5 AND EXISTS (
  SELECT 1 FROM migration_machine mm WHERE mm.migration = new.migration AND mm.set_aside IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'step 5 waits while a machine is set aside'); END;
CREATE TRIGGER step_run_back_out_highest BEFORE UPDATE OF state ON step_run
WHEN old.state = 'done' AND new.state = 'backed_out' AND EXISTS (
  SELECT 1 FROM step_run s WHERE s.migration = new.migration AND s.machine = new.machine
  AND s.step > new.step AND s.state IN ('done', 'running'))
BEGIN SELECT RAISE(ABORT, 'only the highest done step of a machine can be backed out'); END;
CREATE TRIGGER step_run_proof_fixed BEFORE UPDATE ON step_run
WHEN old.state = 'done' AND (old.proof IS NOT new.proof)
BEGIN SELECT RAISE(ABORT, 'the proof of a done step never changes'); END;
CREATE TRIGGER step_run_identity BEFORE UPDATE ON step_run
WHEN old.migration <> new.migration OR old.step <> new.step OR old.machine <> new.machine
BEGIN SELECT RAISE(ABORT, 'a step run keeps its migration, step and machine'); END;
CREATE TRIGGER step_run_kept BEFORE DELETE ON step_run
BEGIN SELECT RAISE(ABORT, 'a step run is never deleted'); END;
CREATE TRIGGER lease_token_grows BEFORE UPDATE ON lease
WHEN new.token < old.token
BEGIN SELECT RAISE(ABORT, 'a fencing token only grows'); END;
CREATE TRIGGER lease_token_kept BEFORE INSERT ON lease
WHEN EXISTS (SELECT 1 FROM lease WHERE fleet = new.fleet AND token > new.token)
BEGIN SELECT RAISE(ABORT, 'a fencing token only grows'); END;
CREATE TRIGGER lease_stays BEFORE DELETE ON lease
BEGIN SELECT RAISE(ABORT, 'a lease is never deleted: its token must be remembered'); END;
