-- title: Lost
-- asks: What is not in this store since berth store rebuild made it anew from what the machines say, of one machine or of all?
-- param: machine
SELECT s.value ->> '$.at' AS rebuilt_at, l.value ->> '$.machine' AS machine, l.value ->> '$.what' AS what, l.value ->> '$.why' AS why
FROM setting s, json_each(s.value, '$.lost') l
WHERE s.key = 'rebuilt' AND (:machine IS NULL OR l.value ->> '$.machine' = :machine)
ORDER BY machine, what
