UPDATE resource_record SET state = ?3, push_id = ?4, updated_at = ?5 WHERE machine = ?1 AND id = ?2
