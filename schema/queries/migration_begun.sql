INSERT INTO migration(id, fleet, document, hash, runner, token, opened_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
