SELECT id, module, type, origin, state, declared, found, applied, push_id, updated_at FROM resource_record WHERE machine = ?1 ORDER BY id
