-- title: Path by machine
-- asks: How did each machine's host reach the runtime at its newest apply, and since when?
-- param: machine
WITH newest AS (
  SELECT r.*, CASE r.path
      -- What every machine ends with, for years: answered from the few reports that say otherwise.
      WHEN 'holder' THEN (SELECT max(at) FROM apply_report WHERE machine = r.machine AND path <> 'holder')
      ELSE (SELECT at FROM apply_report WHERE machine = r.machine AND path <> r.path ORDER BY at DESC LIMIT 1)
    END AS other_path_until
  FROM machine m CROSS JOIN apply_report r ON r.machine = m.name AND (r.store, r.seq) = (
    SELECT store, seq FROM apply_report WHERE machine = m.name ORDER BY at DESC, seq DESC LIMIT 1)
  WHERE :machine IS NULL OR m.name = :machine)
SELECT machine.name AS machine, newest.path, newest.result, newest.host_version, newest.cli_path, newest.at,
  (SELECT min(same.at) FROM apply_report same
   WHERE same.machine = newest.machine AND same.path = newest.path
   AND same.at > coalesce(newest.other_path_until, '')) AS same_path_since,
  machine.set_aside
FROM machine LEFT JOIN newest ON newest.machine = machine.name
WHERE :machine IS NULL OR machine.name = :machine
ORDER BY machine.name
