UPDATE container SET gone_at = ?3, observed_at = max(observed_at, ?3), pid = NULL WHERE machine = ?1 AND id = ?2
