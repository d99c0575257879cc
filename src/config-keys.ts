/** One setting: where it may be given, and what it means. */
export interface ConfigKey {
  /** Key of config.toml, with its table before a dot; null = cannot be set there. */
  readonly key: string | null;
  readonly variable: string;
  readonly flag: string | null;
  readonly meaning: string;
}

/** Every setting, in the order people see them; the documentation of the keys is made from this. */
export const CONFIG_KEYS = {
  dataDir: {
    key: 'data_dir',
    variable: 'ENGRAM_DATA_DIR',
    flag: '--data-dir',
    meaning: 'where memories and database live',
  },
  project: {
    key: null,
    variable: 'ENGRAM_PROJECT',
    flag: '--project',
    meaning: 'the project, instead of finding it from git',
  },
  color: { key: 'color', variable: 'ENGRAM_COLOR', flag: '--no-color', meaning: 'auto, always or never' },
  chatFile: {
    key: null,
    variable: 'ENGRAM_CHAT_FILE',
    flag: '--chat-file',
    meaning: 'the chat file, instead of the one of the project',
  },
  chatName: {
    key: null,
    variable: 'ENGRAM_CHAT_NAME',
    flag: '--from, --agent',
    meaning: 'how you are called in the chat',
  },
  queryLimit: inFile('query_limit', 'hits of engram query, 1 to 100'),
  contextBytes: inFile('context_bytes', 'size of what engram context prints, 500 to 100000 bytes'),
  singleValued: inFile(
    'learn.single_valued',
    'predicates of facts that have one object at a time, separated by blanks; N is a number',
  ),
  embedProvider: inFile('embed.provider', 'built-in; openai: a server that speaks /v1/embeddings; none: words alone'),
  embedUrl: inFile('embed.url', 'where that server is, with or without /v1'),
  embedModel: inFile('embed.model', 'what the server calls the model'),
  embedApiKeyEnv: inFile('embed.api_key_env', 'name of the environment variable that holds the key'),
  embedAllowRemote: inFile('embed.allow_remote', 'true: texts of memories may go to another machine'),
  embedAllowHttp: inFile('embed.allow_http', 'true: even without encryption'),
  embedQueryPrefix: inFile('embed.query_prefix', 'what the model wants before a question'),
  embedDocumentPrefix: inFile('embed.document_prefix', 'what the model wants before a memory'),
  embedDims: inFile('embed.dims', "ask for vectors of so many values, not the model's own number"),
  embedTimeoutMs: inFile('embed.timeout_ms', 'how long a question waits for the server, 50 to 60000'),
  agentName: inFile('agent.name', 'how the agent is called in the chat'),
  agentChatFile: inFile('agent.chat_file', 'the chat file of the agent, instead of the one of the project'),
  agentAnswerBudgetMs: inFile('agent.answer_budget_ms', 'an intent is answered within it, 500 to 60000'),
  agentLearn: inFile('agent.learn', 'false: the agent learns nothing, it only answers'),
  agentTakeOver: inFile('agent.take_over', 'true: it begins although somebody seems to answer under its name'),
  agentOnce: inFile('agent.once', 'true: it processes what the chat holds, and ends'),
  appliesAt: inFile('agent.applies_at', 'from this similarity on the built-in judge takes texts for alike, 0 to 1'),
  apart: inFile('agent.apart', 'so much more alike a stored behavior has to be than the stored action, 0 to 1'),
  judgeKind: inFile(
    'agent.judge.kind',
    'who judges whether a memory applies: builtin; command; openai: a server that speaks /v1/chat/completions',
  ),
  judgeCommand: inFile('agent.judge.command', 'program and arguments, a list; no shell reads it'),
  judgeEnv: inFile('agent.judge.env', 'names of variables that the command gets besides PATH, HOME and LANG, a list'),
  judgeBaseUrl: inFile('agent.judge.base_url', 'where that server is; /chat/completions is added'),
  judgeModel: inFile('agent.judge.model', 'what the server calls the model'),
  judgeApiKeyEnv: inFile('agent.judge.api_key_env', 'name of the environment variable that holds the key'),
  judgeAllowRemote: inFile(
    'agent.judge.allow_remote',
    'true: intents, memories and messages may go to another machine',
  ),
} as const satisfies Record<string, ConfigKey>;

/** What `learn.single_valued` is when it is not set (AG-46). */
export const SINGLE_VALUED =
  'test-command build-command lint-command default-branch listens-on version owner location step-N';

export type ConfigName = keyof typeof CONFIG_KEYS;

export function configNames(): ConfigName[] {
  return Object.keys(CONFIG_KEYS) as ConfigName[];
}

function inFile<Key extends string>(key: Key, meaning: string) {
  return { key, variable: `ENGRAM_${key.replaceAll('.', '_').toUpperCase()}`, flag: null, meaning } as const;
}
