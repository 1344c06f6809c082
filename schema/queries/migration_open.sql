SELECT id, fleet, document, hash, runner, token, opened_at, closed_at FROM migration
WHERE fleet = ?1 AND closed_at IS NULL
