SELECT seq, subject, message_id, body FROM outbox ORDER BY seq LIMIT ?1
