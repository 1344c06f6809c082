-- The facts with one machine alone in their list of machines; with none when there is no such machine.
SELECT json_set(common.facts, '$.machines', CASE WHEN mine.machine IS NULL THEN json('[]') ELSE json_array(json(mine.facts)) END)
FROM fleet_part common LEFT JOIN fleet_part mine ON mine.machine = ?1 AND mine.machine <> ''
WHERE common.machine = ''
