SELECT push_id, machine, kind, body, state FROM push
WHERE machine = ?1 AND kind = 'back_out' AND json_extract(body, '$.restores') = ?2 AND state IN ('intended', 'accepted')
ORDER BY sequence DESC LIMIT 1
