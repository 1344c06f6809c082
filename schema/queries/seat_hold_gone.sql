DELETE FROM seat_hold WHERE machine = ?1 AND seat = ?2
