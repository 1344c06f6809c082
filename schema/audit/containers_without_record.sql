-- title: Held containers without a record
-- asks: Which container carries the host's label although no record of that machine says it was made?
-- param: machine
SELECT c.machine, c.name, c.id, c.assignment, c.state, c.observed_at
FROM container c
WHERE c.mesh_held = 1 AND c.gone_at IS NULL AND (:machine IS NULL OR c.machine = :machine)
AND NOT EXISTS (SELECT 1 FROM resource_record r WHERE r.machine = c.machine AND r.type = 'container'
                AND json_extract(r.applied, '$.id') = c.id)
ORDER BY c.machine, c.name
