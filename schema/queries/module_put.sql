INSERT INTO module(name, manifest, imported_at) VALUES (?1, ?2, ?3)
ON CONFLICT (name) DO UPDATE SET manifest = excluded.manifest, imported_at = excluded.imported_at
WHERE manifest IS NOT excluded.manifest
