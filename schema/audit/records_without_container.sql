-- title: Records without a live container
-- asks: Which container does a record say was made that the last observation does not show?
-- param: machine
SELECT r.machine, r.id AS record, r.origin, r.state, json_extract(r.applied, '$.id') AS container,
  json_extract(r.declared, '$.spec.name') AS name, gone.gone_at, r.updated_at
FROM resource_record r
LEFT JOIN container gone ON gone.machine = r.machine AND gone.id = json_extract(r.applied, '$.id')
WHERE r.type = 'container' AND (:machine IS NULL OR r.machine = :machine)
AND NOT EXISTS (SELECT 1 FROM container c WHERE c.machine = r.machine AND c.gone_at IS NULL
                AND c.id = json_extract(r.applied, '$.id'))
ORDER BY r.machine, r.id
