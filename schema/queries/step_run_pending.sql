INSERT INTO step_run(migration, step, machine, state) VALUES (?1, ?2, ?3, 'pending')
