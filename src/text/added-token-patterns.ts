import type { TOKEN_PATTERNS } from './token-patterns.ts';

/**
 * As `TOKEN_PATTERNS`, for tokens that it lacks: of chat services, which gitleaks only looks for behind the name of the
 * service, and forms of which both libraries know another one.
 */
export const ADDED_TOKEN_PATTERNS: typeof TOKEN_PATTERNS = [
  // The id of the bot, and a key that always begins with AA.
  ['telegram-bot-token', '(?<!\\d)(\\d{8,10}:AA[\\w-]{33})(?![\\w-])', 3.5, [':aa'], []],
  // The id of the bot in base64, a time and a signature.
  [
    'discord-bot-token',
    '([MNO](?<![\\w-].)(?=[\\w-]*\\d)[\\w-]{22,27}\\.(?=[\\w-]*[A-Z\\d])[\\w-]{6}\\.(?=[\\w-]*\\d)[\\w-]{27,38})(?![\\w-])',
    4,
    ['.'],
    // The name of a class in a package.
    ['\\.[A-Za-z]?[a-z]{5}\\.'],
  ],
  ['discord-mfa-token', '(?<![\\w-])(mfa\\.[\\w-]{84})(?![\\w-])', 4, ['mfa.'], []],
  ['discord-webhook', 'discord(?:app)?\\.com/api/(?:v\\d+/)?webhooks/\\d{17,20}/([\\w-]{60,80})', 4, ['discord'], []],
  // Of an installation: the id of the app and a JWT.
  [
    'github-app-token',
    '(?<!\\w)(gh[su]_\\d{1,12}_ey[\\w-]{15,}\\.ey[\\w-]{15,}\\.[\\w-]{20,})',
    4,
    ['ghs_', 'ghu_'],
    [],
  ],
  // Also glued to words before and behind it.
  ['sendgrid-api-token', '(SG\\.[\\w-]{20,24}\\.[\\w-]{39,60})', 4, ['sg.'], []],
];
