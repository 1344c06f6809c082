SELECT class, name, subject FROM issued_subject
WHERE machine = ?1 AND owner = ?2 AND class IN ('read', 'act') AND name = ?3
