INSERT INTO resource_record(machine, id, module, type, origin, state, declared, found, applied, push_id, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT (machine, id) DO UPDATE SET
  module = excluded.module, type = excluded.type, origin = excluded.origin, state = excluded.state,
  declared = excluded.declared, found = excluded.found, applied = excluded.applied, push_id = excluded.push_id,
  updated_at = excluded.updated_at
