-- title: Path by machine
-- asks: How did each machine's host reach the runtime at its newest apply, and since when?
-- param: machine
WITH newest AS (
  SELECT *, row_number() OVER (PARTITION BY machine ORDER BY at DESC, seq DESC) AS place FROM apply_report)
SELECT machine.name AS machine, newest.path, newest.result, newest.host_version, newest.cli_path, newest.at,
  (SELECT min(same.at) FROM apply_report same
   WHERE same.machine = newest.machine AND same.path = newest.path
   AND same.at > coalesce((SELECT max(other.at) FROM apply_report other
                           WHERE other.machine = newest.machine AND other.path <> newest.path), '')) AS same_path_since,
  machine.set_aside
FROM machine LEFT JOIN newest ON newest.machine = machine.name AND newest.place = 1
WHERE :machine IS NULL OR machine.name = :machine
ORDER BY machine.name
