SELECT name, manifest FROM module ORDER BY name
