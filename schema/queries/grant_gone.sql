DELETE FROM "grant" WHERE caller = ?1 AND machine = ?2 AND verb = ?3 AND class = ?4
