SELECT machine, seat, module, socket, held_at FROM seat_hold ORDER BY machine, seat
