UPDATE container SET gone_at = ?2
WHERE machine = ?1 AND gone_at IS NULL AND observed_at <= ?2 AND id NOT IN (SELECT value FROM json_each(?3))
