UPDATE migration SET closed_at = coalesce(closed_at, ?2) WHERE id = ?1
