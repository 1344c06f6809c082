DELETE FROM seat WHERE name = ?1
