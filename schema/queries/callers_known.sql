SELECT substr(key, 8) FROM setting WHERE key GLOB 'caller/*' ORDER BY key
