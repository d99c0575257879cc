/** Names behind which a secret stands, as patterns in any case; the kind says how clear a name is. */
export const NAMES = {
  password: 'pass(?:word|wd|phrase|code)s?|pass|pwd|pw',
  secret:
    'secrets?|credentials?|creds?|(?:api|access|private|secret|auth|account|encryption|signing|master|shared|app)[ _-]?keys?|apikeys?',
  token: 'tokens?|bearer|authorization|jwt|pat',
  key: 'keys?|auth',
} as const;
export type NameKind = keyof typeof NAMES;

/** A text without a match has none of the names: each of them holds one of these. */
export const NAME = /p(?:ass|w|at)|secret|cred|key|token|bearer|jwt|auth/i;

const KINDS = Object.entries(NAMES).map(
  ([kind, names]) => [kind as NameKind, new RegExp(`^(?:${names})$`, 'i')] as const,
);

/** The kind of a name that one of the patterns found. */
export function kindOf(name: string): NameKind {
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'key';
}
