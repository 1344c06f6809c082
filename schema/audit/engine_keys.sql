-- title: Engine configuration keys
-- asks: Who owns each key of the engine's configuration file, and what was decided about it?
-- param: machine
SELECT machine, key, value, owner, planned, decision, waiting
FROM config_key
WHERE :machine IS NULL OR machine = :machine
ORDER BY machine, key
