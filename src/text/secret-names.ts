/** Names behind which a secret stands, as patterns in any case; the kind says how clear a name is. */
export const NAMES = {
  password: 'pass(?:word|wd|phrase|code)s?|pass|pwd|pw',
  secret:
    'secrets?|credentials?|creds?|(?:api|access|private|secret|auth|account|encryption|signing|master|shared|app)[ _-]?keys?|apikeys?',
  token: 'tokens?|bearer|authorization|jwt|pat',
  key: 'keys?|auth',
} as const;
export type NameKind = keyof typeof NAMES;

/** Finds any of the names. */
export const NAME = new RegExp(Object.values(NAMES).join('|'), 'i');

const KINDS = Object.entries(NAMES).map(
  ([kind, names]) => [kind as NameKind, new RegExp(`^(?:${names})$`, 'i')] as const,
);

/** The kind of a name that one of the patterns found. */
export function kindOf(name: string): NameKind {
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'key';
}
