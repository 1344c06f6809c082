-- How many of the tables that a fleet's store fills first have rows.
SELECT (SELECT count(*) FROM (SELECT 1 FROM machine LIMIT 1)) + (SELECT count(*) FROM (SELECT 1 FROM push LIMIT 1))
  + (SELECT count(*) FROM (SELECT 1 FROM migration LIMIT 1)) + (SELECT count(*) FROM (SELECT 1 FROM apply_report LIMIT 1))
  + (SELECT count(*) FROM (SELECT 1 FROM runtime_event LIMIT 1)) + (SELECT count(*) FROM (SELECT 1 FROM lease LIMIT 1))
  + (SELECT count(*) FROM (SELECT 1 FROM verb_call LIMIT 1))
