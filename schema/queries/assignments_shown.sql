SELECT a.machine, a.module, CASE WHEN h.module IS NULL THEN NULL ELSE h.seat END AS holds, a.settings, a.assigned_at
FROM assignment a LEFT JOIN seat_hold h ON h.machine = a.machine AND h.module = a.module
ORDER BY a.machine, a.module
