SELECT coalesce(max(seq), 0) FROM apply_report
