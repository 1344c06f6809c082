DELETE FROM resource_record WHERE machine = ?1 AND id = ?2
