-- Every resolver that a record of the machine ever wrote as the engine's `dns`.
SELECT DISTINCT d.value FROM (
  SELECT declared FROM resource_record WHERE machine = ?1 AND type = 'json'
  UNION ALL
  SELECT before ->> '$.declared' FROM resource_history
  WHERE machine = ?1 AND before IS NOT NULL AND before ->> '$.type' = 'json'
) r, json_each(r.declared, '$.into.dns') d
WHERE d.type = 'text'
ORDER BY d.value
