CREATE TABLE `archive` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`record` text NOT NULL,
	`bytes` blob,
	`record_hash` text NOT NULL,
	`origin` text NOT NULL,
	`at_ms` integer NOT NULL,
	`gone_to` text,
	`restored_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `archive_name` ON `archive` (`name`);--> statement-breakpoint
CREATE TABLE `base_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`record_hash` text NOT NULL,
	`record` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `base_versions_name` ON `base_versions` (`name`,`record_hash`);--> statement-breakpoint
CREATE TABLE `bases` (
	`name` text PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`mtime_ms` real NOT NULL,
	`ctime_ms` real NOT NULL,
	`ino` integer NOT NULL,
	`read_at_ms` integer NOT NULL,
	`read_only` integer NOT NULL,
	`synced_at_ms` integer NOT NULL,
	`bytes_hash` text NOT NULL,
	`lost_keys` text DEFAULT '' NOT NULL,
	`record_hash` text NOT NULL,
	`record` text NOT NULL,
	`bytes` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `bases_signature` ON `bases` (`path`,`size_bytes`,`mtime_ms`,`ctime_ms`,`ino`,`read_at_ms`,`name`);--> statement-breakpoint
CREATE INDEX `bases_bytes_hash` ON `bases` (`bytes_hash`);--> statement-breakpoint
CREATE TABLE `changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`op` text NOT NULL,
	`name` text NOT NULL,
	`old_name` text,
	`at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `changes_name` ON `changes` (`name`);--> statement-breakpoint
CREATE INDEX `changes_old_name` ON `changes` (`old_name`) WHERE old_name IS NOT NULL;--> statement-breakpoint
CREATE TABLE `conflicts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`field` text NOT NULL,
	`base_value` text,
	`file_value` text,
	`row_value` text,
	`reason` text NOT NULL,
	`at_ms` integer NOT NULL,
	`resolution` text,
	`resolved_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `conflicts_name` ON `conflicts` (`name`);--> statement-breakpoint
CREATE TABLE `deletion_holds` (
	`name` text PRIMARY KEY NOT NULL,
	`side` text NOT NULL,
	`reason` text NOT NULL,
	`seen_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `embeddings` (
	`pk` integer NOT NULL,
	`part` text NOT NULL,
	`space` text NOT NULL,
	`text_hash` text,
	`norm` real,
	`state` text NOT NULL,
	`error` text,
	`at_ms` integer NOT NULL,
	`vector` blob,
	`tokens` blob,
	PRIMARY KEY(`pk`, `part`, `space`)
);
--> statement-breakpoint
CREATE TABLE `history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`at_ms` integer NOT NULL,
	`origin` text NOT NULL,
	`reason` text NOT NULL,
	`record` text,
	`bytes` blob
);
--> statement-breakpoint
CREATE INDEX `history_name` ON `history` (`name`);--> statement-breakpoint
CREATE TABLE `index_state` (
	`pk` integer PRIMARY KEY NOT NULL,
	`text_hash` text,
	`recipe` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `memories` (
	`name` text NOT NULL,
	`type` text,
	`situation` text,
	`behavior` text,
	`impact` text,
	`action` text,
	`subject` text,
	`predicate` text,
	`object` text,
	`source` text,
	`core` integer,
	`core_origin` text,
	`needs_review` integer,
	`project_scoped` integer,
	`project_slug` text,
	`surfaced_count` integer,
	`followed_count` integer,
	`not_followed_count` integer,
	`irrelevant_count` integer,
	`missed_count` integer,
	`initial_confidence` real,
	`created_at` text,
	`updated_at` text,
	`schema_version` integer,
	`text_updated_at` text,
	`last_surfaced_at` text,
	`extra` text,
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	CONSTRAINT "name must be feedback/<slug> or facts/<slug>, slug of 1 to 200 bytes without slash, backslash, control character or leading dot" CHECK(typeof("name") = 'text' AND instr("name", char(0)) = 0 AND ("name" GLOB 'feedback/?*' OR "name" GLOB 'facts/?*') AND substr("name", instr("name", '/') + 1, 1) <> '.' AND instr(substr("name", instr("name", '/') + 1), '/') = 0 AND instr("name", '\') = 0 AND length(CAST(substr("name", instr("name", '/') + 1) AS BLOB)) <= 200 AND "name" NOT GLOB ('*[' || char(1) || '-' || char(31) || char(127) || ']*')),
	CONSTRAINT "type must be feedback or fact" CHECK("type" IS NULL OR "type" IN ('feedback', 'fact')),
	CONSTRAINT "core must be 0 or 1" CHECK("core" IS NULL OR "core" IN (0, 1)),
	CONSTRAINT "needs_review must be 0 or 1" CHECK("needs_review" IS NULL OR "needs_review" IN (0, 1)),
	CONSTRAINT "project_scoped must be 0 or 1" CHECK("project_scoped" IS NULL OR "project_scoped" IN (0, 1)),
	CONSTRAINT "core_origin must be user or auto" CHECK("core_origin" IS NULL OR "core_origin" IN ('user', 'auto')),
	CONSTRAINT "surfaced_count must be a whole number from 0" CHECK("surfaced_count" IS NULL OR (typeof("surfaced_count") = 'integer' AND "surfaced_count" BETWEEN 0 AND 9007199254740991)),
	CONSTRAINT "followed_count must be a whole number from 0" CHECK("followed_count" IS NULL OR (typeof("followed_count") = 'integer' AND "followed_count" BETWEEN 0 AND 9007199254740991)),
	CONSTRAINT "not_followed_count must be a whole number from 0" CHECK("not_followed_count" IS NULL OR (typeof("not_followed_count") = 'integer' AND "not_followed_count" BETWEEN 0 AND 9007199254740991)),
	CONSTRAINT "irrelevant_count must be a whole number from 0" CHECK("irrelevant_count" IS NULL OR (typeof("irrelevant_count") = 'integer' AND "irrelevant_count" BETWEEN 0 AND 9007199254740991)),
	CONSTRAINT "missed_count must be a whole number from 0" CHECK("missed_count" IS NULL OR (typeof("missed_count") = 'integer' AND "missed_count" BETWEEN 0 AND 9007199254740991)),
	CONSTRAINT "situation must be text" CHECK(typeof("situation") IN ('text', 'null')),
	CONSTRAINT "behavior must be text" CHECK(typeof("behavior") IN ('text', 'null')),
	CONSTRAINT "impact must be text" CHECK(typeof("impact") IN ('text', 'null')),
	CONSTRAINT "action must be text" CHECK(typeof("action") IN ('text', 'null')),
	CONSTRAINT "subject must be text" CHECK(typeof("subject") IN ('text', 'null')),
	CONSTRAINT "predicate must be text" CHECK(typeof("predicate") IN ('text', 'null')),
	CONSTRAINT "object must be text" CHECK(typeof("object") IN ('text', 'null')),
	CONSTRAINT "source must be text" CHECK(typeof("source") IN ('text', 'null')),
	CONSTRAINT "project_slug must be text" CHECK(typeof("project_slug") IN ('text', 'null')),
	CONSTRAINT "created_at must be text" CHECK(typeof("created_at") IN ('text', 'null')),
	CONSTRAINT "updated_at must be text" CHECK(typeof("updated_at") IN ('text', 'null')),
	CONSTRAINT "text_updated_at must be text" CHECK(typeof("text_updated_at") IN ('text', 'null')),
	CONSTRAINT "last_surfaced_at must be text" CHECK(typeof("last_surfaced_at") IN ('text', 'null')),
	CONSTRAINT "extra must be text" CHECK(typeof("extra") IN ('text', 'null')),
	CONSTRAINT "initial_confidence must be a number" CHECK(typeof("initial_confidence") IN ('real', 'integer', 'null')),
	CONSTRAINT "schema_version must be a whole number" CHECK(typeof("schema_version") IN ('integer', 'null'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `memories_name` ON `memories` (`name`);--> statement-breakpoint
CREATE INDEX `memories_admission` ON `memories` (`project_scoped`,`project_slug`,`type`,`name`);--> statement-breakpoint
CREATE INDEX `memories_promoted` ON `memories` (`name`,`text_updated_at`) WHERE "core" = 1 AND "core_origin" = 'auto';--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outcome_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_key` text,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`delta` integer NOT NULL,
	`origin` text NOT NULL,
	`project` text,
	`situation` text,
	`thread` text,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outcome_events_key` ON `outcome_events` (`event_key`);--> statement-breakpoint
CREATE INDEX `outcome_events_name` ON `outcome_events` (`name`,`kind`);--> statement-breakpoint
CREATE TABLE `pending_writes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`other_name` text,
	`op` text NOT NULL,
	`old_hash` text,
	`new_hash` text,
	`payload` text NOT NULL,
	`owner` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pending_writes_name` ON `pending_writes` (`name`);--> statement-breakpoint
CREATE TABLE `project_aliases` (
	`alias` text PRIMARY KEY NOT NULL,
	`project` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `project_bindings` (
	`git_common_dir` text PRIMARY KEY NOT NULL,
	`project` text NOT NULL,
	`origin` text,
	`root` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `quarantine` (
	`side` text NOT NULL,
	`name` text NOT NULL,
	`path` text NOT NULL,
	`size_bytes` integer,
	`mtime_ms` real,
	`ctime_ms` real,
	`ino` integer,
	`hash` text,
	`reason` text NOT NULL,
	`line` integer,
	`col` integer,
	`message` text NOT NULL,
	`seen_ms` integer NOT NULL,
	`tries` integer NOT NULL,
	PRIMARY KEY(`side`, `name`)
);
--> statement-breakpoint
CREATE TABLE `query_vectors` (
	`text_hash` text NOT NULL,
	`space` text NOT NULL,
	`at_ms` integer NOT NULL,
	`vector` blob NOT NULL,
	`tokens` blob,
	PRIMARY KEY(`text_hash`, `space`)
);
--> statement-breakpoint
CREATE TABLE `record_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `record_keys_name` ON `record_keys` (`name`);--> statement-breakpoint
CREATE TABLE `sync_queue` (
	`path` text PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sync_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`origin` text NOT NULL,
	`started_ms` integer NOT NULL,
	`finished_ms` integer NOT NULL,
	`complete` integer NOT NULL,
	`counts` text NOT NULL,
	`directories` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `vector_spaces` (
	`space` text PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`revision` text NOT NULL,
	`dims` integer NOT NULL,
	`recipe` text NOT NULL,
	`background` real,
	`active` integer NOT NULL
);
