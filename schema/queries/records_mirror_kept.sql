DELETE FROM resource_record WHERE machine = ?1 AND id NOT IN (SELECT value FROM json_each(?2))
