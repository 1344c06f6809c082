UPDATE push SET state = ?2, report = ?3, ended_at = ?4 WHERE push_id = ?1
