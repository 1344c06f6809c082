INSERT INTO runtime_event(id, machine, seq, kind, at, container, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
