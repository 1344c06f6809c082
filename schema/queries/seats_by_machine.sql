SELECT m.name AS machine, s.name AS seat, CASE WHEN h.module IS NULL THEN 'unheld' ELSE 'held' END AS state,
  h.module, h.socket, h.held_at
FROM machine m CROSS JOIN seat s LEFT JOIN seat_hold h ON h.machine = m.name AND h.seat = s.name
WHERE s.scope = 'node'
ORDER BY m.name, s.name
