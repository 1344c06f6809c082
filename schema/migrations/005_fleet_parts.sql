-- What the fleet document says, by machine, beside the whole. user_version 1004 (1.4).

-- Setting "fleet" holds all the facts in one text; who composes for one of a thousand machines reads that machine's
-- alone. The triggers keep the two alike, whichever program writes the setting.
CREATE TABLE fleet_part(
  machine TEXT PRIMARY KEY,            -- '' : what is said of no machine alone
  facts TEXT NOT NULL CHECK (json_valid(facts))
) STRICT, WITHOUT ROWID;

CREATE VIEW fleet_part_wanted AS
SELECT '' AS machine, json_remove(value, '$.machines') AS facts FROM setting WHERE key = 'fleet'
UNION ALL
SELECT json_extract(m.value, '$.name'), m.value FROM setting s, json_each(s.value, '$.machines') m WHERE s.key = 'fleet';

CREATE TRIGGER fleet_parts_begun AFTER INSERT ON setting WHEN new.key = 'fleet'
BEGIN
  DELETE FROM fleet_part;
  INSERT INTO fleet_part SELECT machine, facts FROM fleet_part_wanted;
END;
CREATE TRIGGER fleet_parts_changed AFTER UPDATE OF value ON setting WHEN new.key = 'fleet'
BEGIN
  DELETE FROM fleet_part;
  INSERT INTO fleet_part SELECT machine, facts FROM fleet_part_wanted;
END;
CREATE TRIGGER fleet_parts_ended AFTER DELETE ON setting WHEN old.key = 'fleet'
BEGIN DELETE FROM fleet_part; END;

INSERT INTO fleet_part SELECT machine, facts FROM fleet_part_wanted;
