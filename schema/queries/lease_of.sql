SELECT runner, token FROM lease WHERE fleet = ?1
