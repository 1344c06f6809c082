SELECT machine, owner, class, name, subject FROM issued_subject ORDER BY machine, owner, class, name
