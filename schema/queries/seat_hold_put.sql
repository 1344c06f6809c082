INSERT INTO seat_hold(machine, seat, module, socket, held_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (machine, seat) DO UPDATE SET socket = excluded.socket
