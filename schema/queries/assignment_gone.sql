DELETE FROM assignment WHERE machine = ?1 AND module = ?2
