SELECT at, result, path, host_version, cli_path FROM apply_report
WHERE machine = ?1 AND at >= ?2 ORDER BY at LIMIT 2000
