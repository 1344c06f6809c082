UPDATE machine SET set_aside = ?2 WHERE name = ?1
