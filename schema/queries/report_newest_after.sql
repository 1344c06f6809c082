SELECT body FROM apply_report WHERE seq > ?1 ORDER BY seq DESC LIMIT 1
