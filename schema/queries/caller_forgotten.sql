DELETE FROM setting WHERE key = 'caller/' || ?1
