-- The first change a push made to each record: `before` is the record as it was until then, null for a new one.
SELECT h.id, h.before FROM resource_history h
WHERE h.machine = ?1 AND h.seq IN (SELECT min(seq) FROM resource_history WHERE machine = ?1 AND push_id = ?2 GROUP BY id)
ORDER BY h.seq DESC
