INSERT INTO issued_subject(machine, owner, class, name, subject, issued_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (machine, owner, class, name) DO UPDATE SET subject = excluded.subject, issued_at = excluded.issued_at
WHERE subject IS NOT excluded.subject
