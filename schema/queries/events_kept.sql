SELECT at, machine, kind, json_extract(body, '$.name') AS name, json_extract(body, '$.assignment') AS assignment,
  json_extract(body, '$.exit_code') AS exit_code, json_extract(body, '$.health') AS health,
  json_extract(body, '$.inferred') AS inferred, container, id
FROM runtime_event
WHERE (?1 IS NULL OR machine = ?1) AND at >= coalesce(?2, '') AND rowid > ?3
ORDER BY at, machine, seq
