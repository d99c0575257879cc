-- Whoever changes a vector, a shell too, empties the block that was made from it, in the same transaction: a search finds
-- what is there now or makes the block anew. No OR REPLACE: the conflict clause of the outer statement would take its place.
CREATE TRIGGER embeddings_inserted AFTER INSERT ON embeddings WHEN NEW.part = 'record' BEGIN
  UPDATE embedding_blocks SET stamp = NULL, form = NULL, space = NULL, unreadable = NULL, token_memories = NULL, tokens = NULL, vectors = NULL
    WHERE block = NEW.pk >> 8 AND stamp IS NOT NULL;
  INSERT INTO embedding_blocks(block) SELECT NEW.pk >> 8 WHERE NOT EXISTS (SELECT 1 FROM embedding_blocks WHERE block = NEW.pk >> 8);
END;
--> statement-breakpoint
CREATE TRIGGER embeddings_updated AFTER UPDATE ON embeddings WHEN OLD.part = 'record' OR NEW.part = 'record' BEGIN
  UPDATE embedding_blocks SET stamp = NULL, form = NULL, space = NULL, unreadable = NULL, token_memories = NULL, tokens = NULL, vectors = NULL
    WHERE block = OLD.pk >> 8 AND stamp IS NOT NULL;
  INSERT INTO embedding_blocks(block) SELECT OLD.pk >> 8 WHERE NOT EXISTS (SELECT 1 FROM embedding_blocks WHERE block = OLD.pk >> 8);
  UPDATE embedding_blocks SET stamp = NULL, form = NULL, space = NULL, unreadable = NULL, token_memories = NULL, tokens = NULL, vectors = NULL
    WHERE block = NEW.pk >> 8 AND stamp IS NOT NULL;
  INSERT INTO embedding_blocks(block) SELECT NEW.pk >> 8 WHERE NOT EXISTS (SELECT 1 FROM embedding_blocks WHERE block = NEW.pk >> 8);
END;
--> statement-breakpoint
CREATE TRIGGER embeddings_deleted AFTER DELETE ON embeddings WHEN OLD.part = 'record' BEGIN
  UPDATE embedding_blocks SET stamp = NULL, form = NULL, space = NULL, unreadable = NULL, token_memories = NULL, tokens = NULL, vectors = NULL
    WHERE block = OLD.pk >> 8 AND stamp IS NOT NULL;
  INSERT INTO embedding_blocks(block) SELECT OLD.pk >> 8 WHERE NOT EXISTS (SELECT 1 FROM embedding_blocks WHERE block = OLD.pk >> 8);
END;
--> statement-breakpoint
INSERT INTO embedding_blocks(block) SELECT DISTINCT pk >> 8 FROM embeddings WHERE part = 'record';
