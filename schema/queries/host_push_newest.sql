SELECT push_id, machine, sequence, token, kind, body, state, report, accepted_at, ended_at FROM push WHERE machine = ?1 AND state <> 'refused' ORDER BY sequence DESC, accepted_at DESC LIMIT 1
