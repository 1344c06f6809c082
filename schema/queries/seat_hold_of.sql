SELECT machine, seat, module, socket, held_at FROM seat_hold WHERE machine = ?1 AND seat = ?2
