-- title: Pinned resolvers
-- asks: Which running containers keep a resolver that their own machine serves, until each is restarted, as it must be before that resolver goes?
-- param: machine
SELECT s.machine, c.value ->> '$.name' AS name, c.value ->> '$.assignment' AS assignment, r.value AS resolver, s.taken_at AS observed_at
FROM config_snapshot s, json_each(s.body, '$.containers') c, json_each(c.value, '$.pinned_resolvers') r
WHERE s.id IN (SELECT max(id) FROM config_snapshot GROUP BY machine)
  AND c.value ->> '$.state' IN ('running', 'paused', 'restarting')
  AND (:machine IS NULL OR s.machine = :machine)
ORDER BY s.machine, name, resolver
