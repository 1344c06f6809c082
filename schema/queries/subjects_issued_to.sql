SELECT machine, owner, class, name, subject FROM issued_subject WHERE machine = ?1 AND owner = ?2 ORDER BY class, name
