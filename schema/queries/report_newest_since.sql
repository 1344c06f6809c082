SELECT body FROM apply_report WHERE at >= ?1 ORDER BY at DESC, seq DESC LIMIT 1
