DELETE FROM outbox WHERE seq = ?1
