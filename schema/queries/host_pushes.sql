-- What a machine was asked, newest first, without the bodies: the newest thousand, and every one that was no ordinary apply.
SELECT push_id, kind, sequence, token, state, json_extract(body, '$.restores'), json_extract(body, '$.seat.held'), accepted_at, ended_at
FROM push WHERE machine = ?1 AND (kind <> 'apply' OR push_id IN (
  SELECT push_id FROM push WHERE machine = ?1 ORDER BY sequence DESC, accepted_at DESC LIMIT 1000))
ORDER BY sequence DESC, accepted_at DESC
