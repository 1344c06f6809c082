SELECT module FROM assignment WHERE machine = ?1 ORDER BY module
