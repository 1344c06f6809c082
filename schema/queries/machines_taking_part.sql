SELECT name FROM machine WHERE set_aside IS NULL ORDER BY name
