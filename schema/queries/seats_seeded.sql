SELECT name, document FROM seat ORDER BY name
