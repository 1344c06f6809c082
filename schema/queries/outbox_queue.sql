INSERT INTO outbox(kind, subject, message_id, body, queued_at) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING seq
