INSERT INTO store_identity(only, store, role, made_at) VALUES (1, ?1, ?2, ?3)
