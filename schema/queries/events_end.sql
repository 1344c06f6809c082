SELECT coalesce(max(rowid), 0) FROM runtime_event
