DELETE FROM "grant"
