SELECT push_id, machine, sequence, token, kind, body, state, report, accepted_at, ended_at FROM push WHERE push_id = ?1
