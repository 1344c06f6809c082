DELETE FROM issued_subject WHERE machine = ?1 AND owner = ?2
