SELECT key, value, updated_at FROM setting WHERE key GLOB 'act.*' ORDER BY updated_at, key
