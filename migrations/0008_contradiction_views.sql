-- A contradiction of two memories is no state of a file, and open for long: it would hide `row_changed`.
DROP VIEW v_files;
--> statement-breakpoint
CREATE VIEW v_files AS
SELECT
  bases.name, bases.path,
  CASE
    WHEN EXISTS (SELECT 1 FROM quarantine WHERE quarantine.name = bases.name AND quarantine.reason <> 'in-progress') THEN 'quarantined'
    WHEN EXISTS (SELECT 1 FROM deletion_holds WHERE deletion_holds.name = bases.name) THEN 'held'
    WHEN EXISTS (SELECT 1 FROM conflicts WHERE conflicts.name = bases.name AND conflicts.resolution IS NULL AND conflicts.other IS NULL) THEN 'conflict'
    WHEN EXISTS (SELECT 1 FROM changes WHERE changes.name = bases.name OR changes.old_name = bases.name) THEN 'row_changed'
    ELSE 'clean'
  END AS state,
  bases.size_bytes, strftime('%Y-%m-%dT%H:%M:%SZ', bases.synced_at_ms / 1000, 'unixepoch') AS synced_at
FROM bases
UNION ALL
SELECT name, path, 'quarantined', size_bytes, NULL FROM quarantine
WHERE side = 'file' AND reason <> 'in-progress' AND name NOT IN (SELECT name FROM bases);
--> statement-breakpoint
DROP VIEW v_conflicts;
--> statement-breakpoint
CREATE VIEW v_conflicts AS
SELECT id, name, field, base_value, file_value, row_value, reason,
  strftime('%Y-%m-%dT%H:%M:%SZ', at_ms / 1000, 'unixepoch') AS at, coalesce(resolution, 'open') AS state, other
FROM conflicts;
