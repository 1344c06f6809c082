-- The running containers of a machine that had one of its own resolvers when it was last read, and when that was.
SELECT c.value ->> '$.name', group_concat(r.value, ', '), s.taken_at
FROM config_snapshot s, json_each(s.body, '$.containers') c, json_each(c.value, '$.pinned_resolvers') r
WHERE s.id = (SELECT max(id) FROM config_snapshot WHERE machine = ?1)
  AND c.value ->> '$.state' IN ('running', 'paused', 'restarting')
GROUP BY c.value ->> '$.id'
ORDER BY 1
