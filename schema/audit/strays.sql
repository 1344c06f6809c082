-- title: Strays
-- asks: Which containers run or lie on a machine that no assignment holds, as last observed?
-- param: machine
SELECT machine, name, state, image, restarts, started_at, observed_at
FROM container
WHERE mesh_held = 0 AND gone_at IS NULL AND (:machine IS NULL OR machine = :machine)
ORDER BY machine, name
