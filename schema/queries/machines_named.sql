SELECT name FROM machine ORDER BY name
