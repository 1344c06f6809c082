UPDATE machine SET host_version = ?2, cli_path = ?3, seen_at = ?4 WHERE name = ?1 AND coalesce(seen_at, '') <= ?4
