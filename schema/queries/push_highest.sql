SELECT coalesce(max(sequence), 0) FROM push WHERE machine = ?1
