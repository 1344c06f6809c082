-- Each record that has changed since a push first touched one: `before` is the record as it was until then, null for one that was not there.
SELECT id, before FROM resource_history WHERE machine = ?1 AND seq IN (
  SELECT min(seq) FROM resource_history
  WHERE machine = ?1 AND seq >= (SELECT min(seq) FROM resource_history WHERE machine = ?1 AND push_id = ?2) GROUP BY id)
ORDER BY seq
