INSERT INTO assignment(machine, module, settings, assigned_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (machine, module) DO UPDATE SET settings = excluded.settings WHERE settings IS NOT excluded.settings
