-- title: Calls
-- asks: Who called which changing verb on what, and what was refused to whom?
-- param: machine
SELECT at, machine, face, caller, verb, target, outcome, detail, duration_ms
FROM verb_call
WHERE :machine IS NULL OR machine = :machine
ORDER BY at, seq
