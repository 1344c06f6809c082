UPDATE migration SET runner = ?2, token = ?3 WHERE id = ?1
