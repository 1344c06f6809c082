INSERT INTO seat(name, scope, document, seeded_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (name) DO NOTHING
