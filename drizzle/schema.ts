import { sql } from 'drizzle-orm';
import { blob, check, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * Every table of the store (`docs/domain.md` explains the words). Columns ending in `_ms` are epoch milliseconds; times of
 * a record are text, as in the file. Full-text tables, triggers and views are custom SQL in `migrations/`.
 */

const isFlag = (column: string) => sql.raw(`"${column}" IS NULL OR "${column}" IN (0, 1)`);
const isText = (column: string) => sql.raw(`typeof("${column}") IN ('text', 'null')`);
const isCount = (column: string) =>
  sql.raw(`"${column}" IS NULL OR (typeof("${column}") = 'integer' AND "${column}" BETWEEN 0 AND 9007199254740991)`);

/**
 * One row per live memory. `name` stands first and `pk` last, all else is nullable without default, so that the shell's
 * `.import` and partial INSERTs work (SY-24); NULL is an absent key (SY-25). The names of the checks are what a person
 * reads when the shell refuses a statement.
 */
export const memories = sqliteTable(
  'memories',
  {
    name: text('name').notNull(),
    type: text('type', { enum: ['feedback', 'fact'] }),
    situation: text('situation'),
    behavior: text('behavior'),
    impact: text('impact'),
    action: text('action'),
    subject: text('subject'),
    predicate: text('predicate'),
    object: text('object'),
    source: text('source'),
    core: integer('core'),
    core_origin: text('core_origin'),
    needs_review: integer('needs_review'),
    project_scoped: integer('project_scoped'),
    project_slug: text('project_slug'),
    surfaced_count: integer('surfaced_count'),
    followed_count: integer('followed_count'),
    not_followed_count: integer('not_followed_count'),
    irrelevant_count: integer('irrelevant_count'),
    missed_count: integer('missed_count'),
    initial_confidence: real('initial_confidence'),
    created_at: text('created_at'),
    updated_at: text('updated_at'),
    schema_version: integer('schema_version'),
    text_updated_at: text('text_updated_at'),
    last_surfaced_at: text('last_surfaced_at'),
    extra: text('extra'),
    pk: integer('pk').primaryKey({ autoIncrement: true }),
  },
  (table) => [
    uniqueIndex('memories_name').on(table.name),
    // What a search asks of every memory, without reading their texts (SE-31).
    index('memories_admission').on(table.project_scoped, table.project_slug, table.type, table.name),
    // Every outcome asks for the promoted memories (MF-46); without it each would read the whole table.
    index('memories_promoted')
      .on(table.name, table.text_updated_at)
      .where(sql.raw(`"core" = 1 AND "core_origin" = 'auto'`)),
    check(
      'name must be feedback/<slug> or facts/<slug>, slug of 1 to 200 bytes without slash, backslash, control character or leading dot',
      sql.raw(
        `typeof("name") = 'text' AND instr("name", char(0)) = 0 AND ("name" GLOB 'feedback/?*' OR "name" GLOB 'facts/?*') AND substr("name", instr("name", '/') + 1, 1) <> '.' ` +
          `AND instr(substr("name", instr("name", '/') + 1), '/') = 0 AND instr("name", '\\') = 0 ` +
          `AND length(CAST(substr("name", instr("name", '/') + 1) AS BLOB)) <= 200 ` +
          `AND "name" NOT GLOB ('*[' || char(1) || '-' || char(31) || char(127) || ']*')`,
      ),
    ),
    check('type must be feedback or fact', sql.raw(`"type" IS NULL OR "type" IN ('feedback', 'fact')`)),
    check('core must be 0 or 1', isFlag('core')),
    check('needs_review must be 0 or 1', isFlag('needs_review')),
    check('project_scoped must be 0 or 1', isFlag('project_scoped')),
    check('core_origin must be user or auto', sql.raw(`"core_origin" IS NULL OR "core_origin" IN ('user', 'auto')`)),
    check('surfaced_count must be a whole number from 0', isCount('surfaced_count')),
    check('followed_count must be a whole number from 0', isCount('followed_count')),
    check('not_followed_count must be a whole number from 0', isCount('not_followed_count')),
    check('irrelevant_count must be a whole number from 0', isCount('irrelevant_count')),
    check('missed_count must be a whole number from 0', isCount('missed_count')),
    check('situation must be text', isText('situation')),
    check('behavior must be text', isText('behavior')),
    check('impact must be text', isText('impact')),
    check('action must be text', isText('action')),
    check('subject must be text', isText('subject')),
    check('predicate must be text', isText('predicate')),
    check('object must be text', isText('object')),
    check('source must be text', isText('source')),
    check('project_slug must be text', isText('project_slug')),
    check('created_at must be text', isText('created_at')),
    check('updated_at must be text', isText('updated_at')),
    check('text_updated_at must be text', isText('text_updated_at')),
    check('last_surfaced_at must be text', isText('last_surfaced_at')),
    check('extra must be text', isText('extra')),
    check(
      'initial_confidence must be a number',
      sql.raw(`typeof("initial_confidence") IN ('real', 'integer', 'null')`),
    ),
    check('schema_version must be a whole number', sql.raw(`typeof("schema_version") IN ('integer', 'null')`)),
  ],
);

/**
 * What file and row last agreed on. `path` is the file below `memory/` with the exact bytes of its name; `record` is the
 * record as JSON, `bytes` the file. The stat signature is kept as Node's double milliseconds: equality is what counts.
 * `read_at_ms` is when the signature was taken; a signature with a time within 2 s of it proves nothing (SY-53).
 */
export const bases = sqliteTable(
  'bases',
  {
    name: text('name').primaryKey(),
    path: text('path').notNull(),
    size_bytes: integer('size_bytes').notNull(),
    mtime_ms: real('mtime_ms').notNull(),
    ctime_ms: real('ctime_ms').notNull(),
    ino: integer('ino').notNull(),
    read_at_ms: integer('read_at_ms').notNull(),
    read_only: integer('read_only').notNull(),
    synced_at_ms: integer('synced_at_ms').notNull(),
    bytes_hash: text('bytes_hash').notNull(),
    // Tracking keys that the file once had: an absent one is no change and returns with the next write (MF-22).
    lost_keys: text('lost_keys').notNull().default(''),
    record_hash: text('record_hash').notNull(),
    record: text('record').notNull(),
    bytes: blob('bytes', { mode: 'buffer' }).notNull(),
  },
  (table) => [
    // Covers the freshness check, which reads every signature but no record and no bytes (SY-57).
    index('bases_signature').on(
      table.path,
      table.size_bytes,
      table.mtime_ms,
      table.ctime_ms,
      table.ino,
      table.read_at_ms,
      table.name,
    ),
    index('bases_bytes_hash').on(table.bytes_hash),
  ],
);

/** Up to 32 earlier agreements of a memory, for editors that save an old buffer (SY-19). */
export const baseVersions = sqliteTable(
  'base_versions',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    record_hash: text('record_hash').notNull(),
    record: text('record').notNull(),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [index('base_versions_name').on(table.name, table.record_hash)],
);

/** Unusable files and rows; never an absence (SY-42). `name` of a file that is no memory name is its path. */
export const quarantine = sqliteTable(
  'quarantine',
  {
    side: text('side', { enum: ['file', 'row'] }).notNull(),
    name: text('name').notNull(),
    path: text('path').notNull(),
    size_bytes: integer('size_bytes'),
    mtime_ms: real('mtime_ms'),
    ctime_ms: real('ctime_ms'),
    ino: integer('ino'),
    hash: text('hash'),
    reason: text('reason').notNull(),
    line: integer('line'),
    col: integer('col'),
    message: text('message').notNull(),
    seen_ms: integer('seen_ms').notNull(),
    tries: integer('tries').notNull(),
  },
  (table) => [primaryKey({ columns: [table.side, table.name] })],
);

/** Every replaced record, but for counters and times alone (SY-16). */
export const history = sqliteTable(
  'history',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    at_ms: integer('at_ms').notNull(),
    origin: text('origin').notNull(),
    reason: text('reason').notNull(),
    record: text('record'),
    bytes: blob('bytes', { mode: 'buffer' }),
  },
  (table) => [index('history_name').on(table.name)],
);

/**
 * What a person has to decide; open while `resolution` is NULL. Without `other`: the clashing texts of one memory. With it:
 * `name`, the newer memory, says in `field` the opposite of `other` (AG-46).
 */
export const conflicts = sqliteTable(
  'conflicts',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    field: text('field').notNull(),
    base_value: text('base_value'),
    file_value: text('file_value'),
    row_value: text('row_value'),
    reason: text('reason').notNull(),
    at_ms: integer('at_ms').notNull(),
    resolution: text('resolution'),
    resolved_at_ms: integer('resolved_at_ms'),
    other: text('other'),
  },
  (table) => [
    index('conflicts_name').on(table.name),
    index('conflicts_other').on(table.other).where(sql`other IS NOT NULL`),
  ],
);

/** Tombstones, restorable (SY-33). */
export const archive = sqliteTable(
  'archive',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    record: text('record').notNull(),
    bytes: blob('bytes', { mode: 'buffer' }),
    record_hash: text('record_hash').notNull(),
    origin: text('origin', {
      enum: ['file-removed', 'sql-delete', 'forget', 'superseded', 'renamed', 'sync-copy'],
    }).notNull(),
    at_ms: integer('at_ms').notNull(),
    gone_to: text('gone_to'),
    restored_at_ms: integer('restored_at_ms'),
  },
  (table) => [index('archive_name').on(table.name)],
);

/** Each count, append-only; a memory's counters equal the sums of its deltas (SY-7). */
export const outcomeEvents = sqliteTable(
  'outcome_events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    event_key: text('event_key'),
    name: text('name').notNull(),
    kind: text('kind', {
      enum: ['surfaced', 'followed', 'not-followed', 'irrelevant', 'missed', 'considered'],
    }).notNull(),
    delta: integer('delta').notNull(),
    origin: text('origin').notNull(),
    project: text('project'),
    situation: text('situation'),
    thread: text('thread'),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('outcome_events_key').on(table.event_key),
    index('outcome_events_name').on(table.name, table.kind),
  ],
);

/** Change log of `memories`, written by triggers; a row goes once engram has dealt with it (D7). */
export const changes = sqliteTable(
  'changes',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    op: text('op', { enum: ['insert', 'update', 'delete'] }).notNull(),
    name: text('name').notNull(),
    old_name: text('old_name'),
    at: text('at').notNull(),
  },
  (table) => [
    index('changes_name').on(table.name),
    // Renames are rare, and each memory asks whether it was the old name of one.
    index('changes_old_name').on(table.old_name).where(sql`old_name IS NOT NULL`),
  ],
);

/** Ledger of file writes under way: what a crash after the rename is recognised by (SY-36, SY-43). */
export const pendingWrites = sqliteTable(
  'pending_writes',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    other_name: text('other_name'),
    op: text('op', { enum: ['write', 'create', 'delete', 'rename'] }).notNull(),
    old_hash: text('old_hash'),
    new_hash: text('new_hash'),
    payload: text('payload').notNull(),
    owner: text('owner').notNull(),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [index('pending_writes_name').on(table.name)],
);

/** Paths that another process asks the watcher to look at (SY-55). */
export const syncQueue = sqliteTable('sync_queue', {
  path: text('path').primaryKey(),
  reason: text('reason').notNull(),
  at_ms: integer('at_ms').notNull(),
});

/** Deletions that wait for a person (SY-32). `side` is where the memory is missing. */
export const deletionHolds = sqliteTable('deletion_holds', {
  name: text('name').primaryKey(),
  side: text('side', { enum: ['file', 'row'] }).notNull(),
  reason: text('reason').notNull(),
  seen_ms: integer('seen_ms').notNull(),
});

/** Reports of the newest 1,000 runs. */
export const syncRuns = sqliteTable('sync_runs', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  origin: text('origin').notNull(),
  started_ms: integer('started_ms').notNull(),
  finished_ms: integer('finished_ms').notNull(),
  complete: integer('complete').notNull(),
  counts: text('counts').notNull(),
  directories: text('directories').notNull(),
});

/** Exact duplicates: one live memory per key (SE-53). */
export const recordKeys = sqliteTable(
  'record_keys',
  { key: text('key').primaryKey(), name: text('name').notNull() },
  (table) => [index('record_keys_name').on(table.name)],
);

/** Answers to learning under an idempotency key, for callers that ask again (SE-53). */
export const learnAnswers = sqliteTable('learn_answers', {
  key_hash: text('key_hash').primaryKey(),
  draft_hash: text('draft_hash').notNull(),
  answer: text('answer').notNull(),
  at_ms: integer('at_ms').notNull(),
  // The contradiction that was opened with it (AG-46): its number is not known before the answer is stored.
  conflict_id: integer('conflict_id'),
});

/** Which index text of a row is in the full-text tables; a NULL hash or another recipe means "not indexed" (SE-8). */
export const indexState = sqliteTable('index_state', {
  pk: integer('pk').primaryKey(),
  text_hash: text('text_hash'),
  recipe: text('recipe').notNull(),
});

export const embeddings = sqliteTable(
  'embeddings',
  {
    pk: integer('pk').notNull(),
    part: text('part', { enum: ['record', 'behavior', 'action'] }).notNull(),
    space: text('space').notNull(),
    text_hash: text('text_hash'),
    norm: real('norm'),
    state: text('state').notNull(),
    error: text('error'),
    at_ms: integer('at_ms').notNull(),
    vector: blob('vector', { mode: 'buffer' }),
    tokens: blob('tokens', { mode: 'buffer' }),
  },
  (table) => [primaryKey({ columns: [table.pk, table.part, table.space] })],
);

/**
 * Vectors of 256 neighbouring pks in a form that is quick to search. Derived from `embeddings`, whose triggers empty the row
 * of a block that has changed: a row without `stamp` says nothing but that there are embeddings in the block.
 */
export const embeddingBlocks = sqliteTable('embedding_blocks', {
  block: integer('block').primaryKey(),
  stamp: integer('stamp'),
  form: integer('form'),
  space: text('space'),
  unreadable: blob('unreadable', { mode: 'buffer' }),
  token_memories: integer('token_memories'),
  tokens: blob('tokens', { mode: 'buffer' }),
  vectors: blob('vectors', { mode: 'buffer' }),
});

export const vectorSpaces = sqliteTable('vector_spaces', {
  space: text('space').primaryKey(),
  provider: text('provider').notNull(),
  model: text('model').notNull(),
  revision: text('revision').notNull(),
  dims: integer('dims').notNull(),
  recipe: text('recipe').notNull(),
  background: real('background'),
  active: integer('active').notNull(),
});

export const queryVectors = sqliteTable(
  'query_vectors',
  {
    text_hash: text('text_hash').notNull(),
    space: text('space').notNull(),
    at_ms: integer('at_ms').notNull(),
    vector: blob('vector', { mode: 'buffer' }).notNull(),
    tokens: blob('tokens', { mode: 'buffer' }),
  },
  (table) => [primaryKey({ columns: [table.text_hash, table.space] }), index('query_vectors_at').on(table.at_ms)],
);

/** Which project a git repository is (product.md section 6). */
export const projectBindings = sqliteTable('project_bindings', {
  git_common_dir: text('git_common_dir').primaryKey(),
  project: text('project').notNull(),
  origin: text('origin'),
  root: text('root').notNull(),
  at_ms: integer('at_ms').notNull(),
});

export const projectAliases = sqliteTable('project_aliases', {
  alias: text('alias').primaryKey(),
  project: text('project').notNull(),
});

/**
 * Who answers in a chat (AG-2). One row per chat file, kept after the end: `epoch` only grows, and whoever finds another
 * one in the row has lost the chat.
 */
export const agentLeases = sqliteTable('agent_leases', {
  chat_file: text('chat_file').primaryKey(),
  name: text('name').notNull(),
  epoch: integer('epoch').notNull(),
  /** NULL: given back. */
  pid: integer('pid'),
  started_at_ms: integer('started_at_ms').notNull(),
  renewed_at_ms: integer('renewed_at_ms').notNull(),
});

/** What the agent knows of a chat besides single messages (AG-5). `value` is JSON; see `agent/chat-memo.ts`. */
export const agentChats = sqliteTable('agent_chats', {
  chat_file: text('chat_file').primaryKey(),
  /** Line ends and bytes before the first message that is not processed. */
  cursor: integer('cursor').notNull(),
  cursor_offset: integer('cursor_offset').notNull(),
  /** `dev:ino` of the file. */
  identity: text('identity').notNull(),
  /** SHA-256 of the 4 KiB before the cursor. */
  guard: text('guard').notNull(),
  value: text('value').notNull(),
});

/** Messages that were processed, with what came of them. The same id at another line is another message (CH-8). */
export const agentMessages = sqliteTable(
  'agent_messages',
  {
    chat_file: text('chat_file').notNull(),
    id: text('id').notNull(),
    line: integer('line').notNull(),
    sender: text('sender').notNull(),
    recipients: text('recipients').notNull(),
    thread: text('thread').notNull(),
    type: text('type').notNull(),
    /** It passed a user's words on. */
    is_parrot: integer('is_parrot').notNull(),
    result: text('result').notNull(),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chat_file, table.id, table.line] }),
    index('agent_messages_at').on(table.chat_file, table.at_ms),
  ],
);

/** Messages of the agent: planned with what caused them, posted as a group in one append (AG-10). */
export const agentOutbox = sqliteTable(
  'agent_outbox',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    chat_file: text('chat_file').notNull(),
    /** What it answers, and by which text: the same cause plans a text once. */
    cause: text('cause').notNull(),
    position: integer('position').notNull(),
    state: text('state', { enum: ['planned', 'posted', 'cancelled'] }).notNull(),
    recipients: text('recipients').notNull(),
    thread: text('thread').notNull(),
    type: text('type').notNull(),
    re: text('re'),
    text: text('text').notNull(),
    /** Where the file ended when it was planned: it cannot stand before. */
    planned_cursor: integer('planned_cursor').notNull(),
    /** The argument or draft that it belongs to: `sub-3`, `draft-1`. */
    about: text('about'),
    message_id: text('message_id'),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('agent_outbox_cause').on(table.chat_file, table.cause, table.position),
    index('agent_outbox_state').on(table.chat_file, table.state),
  ],
);

/** Intents that were read. `value` is JSON; its texts go after 24 hours, the row after 30 days. */
export const agentIntents = sqliteTable(
  'agent_intents',
  {
    chat_file: text('chat_file').notNull(),
    key: text('key').notNull(),
    initiator: text('initiator').notNull(),
    thread: text('thread').notNull(),
    /** `open` until its answer is planned. */
    state: text('state').notNull(),
    value: text('value').notNull(),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chat_file, table.key] }),
    index('agent_intents_at').on(table.chat_file, table.at_ms),
  ],
);

/** Objections of the agent and how they ended. `value` is JSON; its texts go after 30 days. */
export const agentArguments = sqliteTable(
  'agent_arguments',
  {
    chat_file: text('chat_file').notNull(),
    key: text('key').notNull(),
    initiator: text('initiator').notNull(),
    thread: text('thread').notNull(),
    state: text('state').notNull(),
    value: text('value').notNull(),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.chat_file, table.key] })],
);

/** Corrections that wait for the user's word (AG-34). `value` is JSON. */
export const agentDrafts = sqliteTable(
  'agent_drafts',
  {
    chat_file: text('chat_file').notNull(),
    key: text('key').notNull(),
    initiator: text('initiator').notNull(),
    thread: text('thread').notNull(),
    state: text('state').notNull(),
    value: text('value').notNull(),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.chat_file, table.key] })],
);

/** What is still to be done because of a message: an answer, a verdict, something to learn. Gone once it is done. */
export const agentWork = sqliteTable(
  'agent_work',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    chat_file: text('chat_file').notNull(),
    /** The same work is planned once. */
    key: text('key').notNull(),
    value: text('value').notNull(),
    at_ms: integer('at_ms').notNull(),
  },
  (table) => [uniqueIndex('agent_work_key').on(table.chat_file, table.key)],
);

/** Counts that were decided, before they stand in the memory's file (AG-18). `key` counts once, for ever. */
export const agentCounts = sqliteTable(
  'agent_counts',
  {
    key: text('key').primaryKey(),
    name: text('name').notNull(),
    kind: text('kind', { enum: ['surfaced', 'followed', 'not-followed', 'irrelevant', 'missed'] }).notNull(),
    project: text('project'),
    situation: text('situation'),
    thread: text('thread'),
    at_ms: integer('at_ms').notNull(),
    /** NULL: not yet in the file. */
    counted_at_ms: integer('counted_at_ms'),
  },
  (table) => [index('agent_counts_waiting').on(table.at_ms).where(sql`counted_at_ms IS NULL`)],
);

export const meta = sqliteTable('meta', { key: text('key').primaryKey(), value: text('value').notNull() });
