CREATE TABLE `agent_arguments` (
	`chat_file` text NOT NULL,
	`key` text NOT NULL,
	`initiator` text NOT NULL,
	`thread` text NOT NULL,
	`state` text NOT NULL,
	`value` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`chat_file`, `key`)
);
--> statement-breakpoint
CREATE TABLE `agent_chats` (
	`chat_file` text PRIMARY KEY NOT NULL,
	`cursor` integer NOT NULL,
	`cursor_offset` integer NOT NULL,
	`identity` text NOT NULL,
	`guard` text NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `agent_counts` (
	`key` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`project` text,
	`situation` text,
	`thread` text,
	`at_ms` integer NOT NULL,
	`counted_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `agent_counts_waiting` ON `agent_counts` (`at_ms`) WHERE counted_at_ms IS NULL;--> statement-breakpoint
CREATE TABLE `agent_drafts` (
	`chat_file` text NOT NULL,
	`key` text NOT NULL,
	`initiator` text NOT NULL,
	`thread` text NOT NULL,
	`state` text NOT NULL,
	`value` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`chat_file`, `key`)
);
--> statement-breakpoint
CREATE TABLE `agent_intents` (
	`chat_file` text NOT NULL,
	`key` text NOT NULL,
	`initiator` text NOT NULL,
	`thread` text NOT NULL,
	`state` text NOT NULL,
	`value` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`chat_file`, `key`)
);
--> statement-breakpoint
CREATE INDEX `agent_intents_at` ON `agent_intents` (`chat_file`,`at_ms`);--> statement-breakpoint
CREATE TABLE `agent_leases` (
	`chat_file` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`epoch` integer NOT NULL,
	`pid` integer,
	`started_at_ms` integer NOT NULL,
	`renewed_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `agent_messages` (
	`chat_file` text NOT NULL,
	`id` text NOT NULL,
	`line` integer NOT NULL,
	`sender` text NOT NULL,
	`recipients` text NOT NULL,
	`thread` text NOT NULL,
	`type` text NOT NULL,
	`is_parrot` integer NOT NULL,
	`result` text NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`chat_file`, `id`, `line`)
);
--> statement-breakpoint
CREATE INDEX `agent_messages_at` ON `agent_messages` (`chat_file`,`at_ms`);--> statement-breakpoint
CREATE TABLE `agent_outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`chat_file` text NOT NULL,
	`cause` text NOT NULL,
	`position` integer NOT NULL,
	`state` text NOT NULL,
	`recipients` text NOT NULL,
	`thread` text NOT NULL,
	`type` text NOT NULL,
	`re` text,
	`text` text NOT NULL,
	`planned_cursor` integer NOT NULL,
	`about` text,
	`message_id` text,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_outbox_cause` ON `agent_outbox` (`chat_file`,`cause`,`position`);--> statement-breakpoint
CREATE INDEX `agent_outbox_state` ON `agent_outbox` (`chat_file`,`state`);--> statement-breakpoint
CREATE TABLE `agent_work` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`chat_file` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_work_key` ON `agent_work` (`chat_file`,`key`);