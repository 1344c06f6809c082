SELECT push_id, machine, kind, body, state FROM push WHERE push_id = ?1
