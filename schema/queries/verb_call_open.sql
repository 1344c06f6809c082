SELECT key, value FROM setting WHERE key GLOB 'act.*' ORDER BY updated_at, key
