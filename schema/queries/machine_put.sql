INSERT INTO machine(name, machine_id) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET machine_id = excluded.machine_id WHERE machine_id IS NOT excluded.machine_id
