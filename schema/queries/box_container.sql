SELECT value FROM setting WHERE key = ?1 AND key GLOB 'boxes.*'
