CREATE TABLE `embedding_blocks` (
	`block` integer PRIMARY KEY NOT NULL,
	`stamp` integer,
	`form` integer,
	`space` text,
	`unreadable` blob,
	`token_memories` integer,
	`tokens` blob,
	`vectors` blob
);
