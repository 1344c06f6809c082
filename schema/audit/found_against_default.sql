-- title: Found against default
-- asks: Where does a key found on a machine differ from what the runtime module would write?
-- param: machine
SELECT machine, key, value AS found, planned AS module_default, owner,
  coalesce(decision, CASE WHEN owner = 'flag' THEN 'a flag' WHEN planned IS NULL THEN 'stays' ELSE 'undecided' END) AS decision
FROM config_key
WHERE value IS NOT planned AND (:machine IS NULL OR machine = :machine)
ORDER BY machine, key
