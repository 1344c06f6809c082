-- Whether one of the machine's records ever described this container as applied, and did not find it there.
SELECT EXISTS (
  SELECT 1 FROM resource_history
  WHERE machine = ?1 AND before IS NOT NULL AND before ->> '$.type' = 'container'
    AND before ->> '$.applied.id' = ?2 AND coalesce(before ->> '$.found.id', '') <> ?2)
