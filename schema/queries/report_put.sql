INSERT INTO apply_report(machine, store, seq, at, push_id, result, path, host_version, cli_path, body)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
