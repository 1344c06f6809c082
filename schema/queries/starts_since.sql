SELECT container, count(*) FROM runtime_event
WHERE machine = ?1 AND at >= ?2 AND kind = 'started' AND container IS NOT NULL
GROUP BY container HAVING count(*) >= ?3
