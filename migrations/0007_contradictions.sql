ALTER TABLE `conflicts` ADD `other` text;--> statement-breakpoint
CREATE INDEX `conflicts_other` ON `conflicts` (`other`) WHERE other IS NOT NULL;--> statement-breakpoint
ALTER TABLE `learn_answers` ADD `conflict_id` integer;