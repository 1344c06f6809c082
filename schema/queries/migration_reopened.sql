UPDATE migration SET closed_at = NULL WHERE id = ?1
