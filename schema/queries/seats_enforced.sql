SELECT key FROM setting WHERE key GLOB 'enforced/*' AND value = 'yes' ORDER BY key
