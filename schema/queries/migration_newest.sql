SELECT id, fleet, document, hash, runner, token, opened_at, closed_at FROM migration
WHERE fleet = ?1 ORDER BY closed_at IS NULL DESC, opened_at DESC LIMIT 1
