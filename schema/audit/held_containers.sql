-- title: Held containers
-- asks: Which containers does the mesh hold, for which assignment, as last observed?
-- param: machine
SELECT machine, name, assignment, state, image, restarts, started_at, observed_at
FROM container
WHERE mesh_held = 1 AND gone_at IS NULL AND (:machine IS NULL OR machine = :machine)
ORDER BY machine, assignment, name
