UPDATE migration SET closed_at = ?2 WHERE id = ?1
