SELECT manifest FROM module WHERE name = ?1
