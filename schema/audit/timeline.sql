-- title: Timeline
-- asks: What happened on a machine, in order: pushes, reports, events, calls, steps, snapshots?
-- param: machine
SELECT at, machine, what, which, detail FROM (
  SELECT accepted_at AS at, machine, 'push' AS what, push_id AS which, kind || ' ' || state AS detail FROM push
  UNION ALL
  SELECT at, machine, 'report', coalesce(push_id, store || ':' || seq), result || ' by ' || path FROM apply_report
  UNION ALL
  SELECT at, machine, 'event', coalesce(json_extract(body, '$.name'), container, id),
    kind || CASE json_extract(body, '$.inferred') WHEN 1 THEN ' (inferred)' ELSE '' END FROM runtime_event
  UNION ALL
  SELECT at, machine, 'call', verb || coalesce(' ' || target, ''), caller || ': ' || outcome FROM verb_call
  UNION ALL
  SELECT intended_at, machine, 'step', migration || ' step ' || step, 'began, attempt ' || attempt FROM step_run
  WHERE intended_at IS NOT NULL
  UNION ALL
  SELECT ended_at, machine, 'step', migration || ' step ' || step, state || coalesce(': ' || error, '') FROM step_run
  WHERE ended_at IS NOT NULL
  UNION ALL
  SELECT taken_at, machine, 'snapshot', 'engine file ' || substr(sha256, 1, 12), '' FROM config_snapshot
  UNION ALL
  SELECT at, machine, 'record', id, change FROM resource_history)
WHERE :machine IS NULL OR machine = :machine
ORDER BY at
