UPDATE migration SET document = ?2, hash = ?3 WHERE id = ?1
