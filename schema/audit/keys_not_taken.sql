-- title: Keys not taken yet
-- asks: Which keys stand in the file but wait for the engine's next start?
-- param: machine
SELECT machine, key, value, owner
FROM config_key
WHERE waiting = 1 AND (:machine IS NULL OR machine = :machine)
ORDER BY machine, key
