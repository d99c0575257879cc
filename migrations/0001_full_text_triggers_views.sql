-- Full text over memories. The tables keep their own text: with external content, a row that a bare shell changed would be
-- removed with the wrong old words later, and corrupt the index without any check noticing (SY-11).
-- Filled by engram, never by a trigger: a trigger on FTS5 fails in a shell with trusted_schema=OFF (SY-10).
CREATE VIRTUAL TABLE fts_prose USING fts5(situation, entity, content, tokenize = 'porter unicode61 remove_diacritics 2');
--> statement-breakpoint
-- Identifiers, folded words and CJK grams, unstemmed; 'Co' is the private-use range that keeps the classes apart (SE-7).
CREATE VIRTUAL TABLE fts_terms USING fts5(situation, entity, content, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'");
--> statement-breakpoint
-- The change log is how engram learns what a bare shell changed (D7). Ordinary tables and built-in functions only (SY-8, SY-9).
CREATE TRIGGER memories_inserted AFTER INSERT ON memories BEGIN
  INSERT INTO changes(op, name, old_name, at) VALUES ('insert', NEW.name, NULL, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
  -- REPLACE with an explicit pk fires no delete trigger, and what the index says of that pk is another text.
  UPDATE index_state SET text_hash = NULL WHERE pk = NEW.pk;
  UPDATE embeddings SET text_hash = NULL WHERE pk = NEW.pk;
END;
--> statement-breakpoint
CREATE TRIGGER memories_updated AFTER UPDATE ON memories BEGIN
  INSERT INTO changes(op, name, old_name, at)
  VALUES ('update', NEW.name, CASE WHEN NEW.name IS NOT OLD.name THEN OLD.name END, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
--> statement-breakpoint
-- A changed text makes its index rows old in the same transaction (SE-9); counters do not touch the index.
CREATE TRIGGER memories_text_updated AFTER UPDATE ON memories
WHEN NEW.pk IS NOT OLD.pk OR NEW.type IS NOT OLD.type
  OR NEW.situation IS NOT OLD.situation
  OR NEW.behavior IS NOT OLD.behavior
  OR NEW.impact IS NOT OLD.impact
  OR NEW.action IS NOT OLD.action
  OR NEW.subject IS NOT OLD.subject
  OR NEW.predicate IS NOT OLD.predicate
  OR NEW.object IS NOT OLD.object
BEGIN
  UPDATE index_state SET text_hash = NULL WHERE pk IN (OLD.pk, NEW.pk);
  UPDATE embeddings SET text_hash = NULL WHERE pk IN (OLD.pk, NEW.pk);
END;
--> statement-breakpoint
CREATE TRIGGER memories_deleted AFTER DELETE ON memories BEGIN
  INSERT INTO changes(op, name, old_name, at) VALUES ('delete', OLD.name, NULL, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
  DELETE FROM index_state WHERE pk = OLD.pk;
  DELETE FROM embeddings WHERE pk = OLD.pk;
END;
--> statement-breakpoint
-- Views for people at the shell (SY-6). Figures: memory-format.md MF-48; no value where the divisor is 0.
CREATE VIEW v_memories AS
SELECT
  name, substr(name, instr(name, '/') + 1) AS slug, type,
  CASE WHEN project_scoped = 1 THEN project_slug END AS project,
  situation, behavior, impact, action, subject, predicate, object, source, core, core_origin, needs_review,
  surfaced_count, followed_count, not_followed_count, irrelevant_count, missed_count, initial_confidence,
  CASE WHEN followed_count + not_followed_count > 0
    THEN 1.0 * followed_count / (followed_count + not_followed_count) END AS effectiveness,
  CASE WHEN followed_count + not_followed_count + irrelevant_count > 0
    THEN 1.0 * followed_count / (followed_count + not_followed_count + irrelevant_count) END AS net_effectiveness,
  CASE WHEN surfaced_count > 0 THEN 1.0 * followed_count / surfaced_count END AS follow_rate,
  CASE WHEN followed_count + not_followed_count + irrelevant_count > 0
    THEN 1.0 * (followed_count + not_followed_count) / (followed_count + not_followed_count + irrelevant_count) END AS relevance_rate,
  max(0, surfaced_count - followed_count - not_followed_count - irrelevant_count) AS unresolved,
  CASE WHEN missed_count + surfaced_count > 0 THEN 1.0 * missed_count / (missed_count + surfaced_count) END AS miss_rate,
  created_at, updated_at, text_updated_at, last_surfaced_at
FROM memories;
--> statement-breakpoint
CREATE VIEW v_files AS
SELECT
  bases.name, bases.path,
  CASE
    WHEN EXISTS (SELECT 1 FROM quarantine WHERE quarantine.name = bases.name AND quarantine.reason <> 'in-progress') THEN 'quarantined'
    WHEN EXISTS (SELECT 1 FROM deletion_holds WHERE deletion_holds.name = bases.name) THEN 'held'
    WHEN EXISTS (SELECT 1 FROM conflicts WHERE conflicts.name = bases.name AND conflicts.resolution IS NULL) THEN 'conflict'
    WHEN EXISTS (SELECT 1 FROM changes WHERE changes.name = bases.name OR changes.old_name = bases.name) THEN 'row_changed'
    ELSE 'clean'
  END AS state,
  bases.size_bytes, strftime('%Y-%m-%dT%H:%M:%SZ', bases.synced_at_ms / 1000, 'unixepoch') AS synced_at
FROM bases
UNION ALL
SELECT name, path, 'quarantined', size_bytes, NULL FROM quarantine
WHERE side = 'file' AND reason <> 'in-progress' AND name NOT IN (SELECT name FROM bases);
--> statement-breakpoint
CREATE VIEW v_history AS
SELECT id, name, strftime('%Y-%m-%dT%H:%M:%SZ', at_ms / 1000, 'unixepoch') AS at, origin, reason, record, CAST(bytes AS TEXT) AS text
FROM history;
--> statement-breakpoint
CREATE VIEW v_conflicts AS
SELECT id, name, field, base_value, file_value, row_value, reason,
  strftime('%Y-%m-%dT%H:%M:%SZ', at_ms / 1000, 'unixepoch') AS at, coalesce(resolution, 'open') AS state
FROM conflicts;
--> statement-breakpoint
CREATE VIEW v_outcomes AS
SELECT id, name, kind, delta, origin, project, situation, strftime('%Y-%m-%dT%H:%M:%SZ', at_ms / 1000, 'unixepoch') AS at
FROM outcome_events;
--> statement-breakpoint
CREATE VIEW v_archive AS
SELECT id, name, origin, gone_to, strftime('%Y-%m-%dT%H:%M:%SZ', at_ms / 1000, 'unixepoch') AS at,
  restored_at_ms IS NOT NULL AS restored, record, CAST(bytes AS TEXT) AS text
FROM archive;
