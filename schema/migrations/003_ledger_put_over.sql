-- The rule of one open migration on a machine, also where a row is put over another. user_version 1002 (1.2).

-- INSERT OR REPLACE would open a closed migration past migration_reopened, which sees updates only.
CREATE TRIGGER migration_once BEFORE INSERT ON migration
WHEN EXISTS (SELECT 1 FROM migration WHERE id = new.id)
BEGIN SELECT RAISE(ABORT, 'this migration is there already'); END;

-- A row moved to another migration would pass migration_machine_once, which sees inserts only.
CREATE TRIGGER migration_machine_identity BEFORE UPDATE OF migration, machine ON migration_machine
WHEN old.migration <> new.migration OR old.machine <> new.machine
BEGIN SELECT RAISE(ABORT, 'a machine of a migration keeps its migration and name'); END;
