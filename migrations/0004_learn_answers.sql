CREATE TABLE `learn_answers` (
	`key_hash` text PRIMARY KEY NOT NULL,
	`draft_hash` text NOT NULL,
	`answer` text NOT NULL,
	`at_ms` integer NOT NULL
);
