WITH newest AS (
  SELECT machine, path, result, at, row_number() OVER (PARTITION BY machine ORDER BY at DESC, seq DESC) AS place
  FROM apply_report)
SELECT m.name AS machine, m.host_version, m.cli_path, n.path, n.result, n.at AS reported_at,
  (SELECT group_concat(module, ' ') FROM (SELECT module FROM assignment a WHERE a.machine = m.name ORDER BY module)) AS modules,
  m.set_aside, m.machine_id
FROM machine m LEFT JOIN newest n ON n.machine = m.name AND n.place = 1
ORDER BY m.name
