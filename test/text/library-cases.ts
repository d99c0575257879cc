import { ALNUM, BASE64, DIGITS, HEX, LETTERS, LOWER, UPPER, URL64, valuesFrom } from '../support/made-values.ts';

/**
 * The cases of secretlint's own tests (packages/@secretlint/secretlint-rule-*\/test/snapshots of github.com/secretlint/secretlint,
 * MIT License, Copyright (c) 2020 azu), for the rules that engram asks: one entry for each secret that its snapshots report, in
 * words of ours. A value made by chance there is made by chance here, of the same form; a filler stays the filler it is.
 * Not here: account ids of Amazon, which engram takes for no secret; .p12 files, which are no text and so no memory.
 */
export interface LibraryCase {
  readonly rule: string;
  readonly text: string;
}

const made = valuesFrom(20_260_915);
const key = (...parts: readonly string[]) => parts.join('');

/** Lines of 64 characters of base64 between the marks of a private key. */
function pem(kind: string, start: string, lines: number, lineEnd = '\n'): string {
  const body = Array.from({ length: lines }, (_, i) =>
    i === 0 ? start + made(64 - start.length, BASE64) : made(64, BASE64),
  );
  return [
    key('-----BEGIN ', kind, 'PRIVATE', ' KEY-----'),
    ...body,
    key('-----END ', kind, 'PRIVATE', ' KEY-----'),
  ].join(lineEnd);
}

const address = (scheme: string, name: string, password: string, place: string) =>
  key(scheme, '://', name, ':', password, '@', place);
const cases = (rule: string, ...texts: readonly string[]): LibraryCase[] => texts.map((text) => ({ rule, text }));

const OAUTH_PACKAGE = (token: string) =>
  `{"name": "a", "dependencies": {"b": "git+https://${token}:x-oauth-basic@github.com/a/b.git#v1.0.0"}}`;
const SLACK_IDS = () => key(made(11, DIGITS), '-', made(13, DIGITS));
const VERCEL = ['vcp', 'vci', 'vca', 'vcr', 'vck'].map((prefix) => key(prefix, '_', made(prefix === 'vca' ? 56 : 40)));

export const LIBRARY_CASES: readonly LibraryCase[] = [
  ...cases(
    'aws',
    `The id is: ${key('AK', 'IA', made(16, `${UPPER}234567`))}`,
    `AWS_SECRET_ACCESS_KEY = ${made(40, BASE64)}`,
  ),
  // The last mark lacks a hyphen, as in the original.
  ...cases(
    'gcp',
    `{"type": "service_account", "project_id": "shop", "private_key_id": "${made(40, HEX)}", "private_key": "${pem('', 'MIIDOjCCAiIC', 14, '\\n').slice(0, -1)}\\n", "client_email": "a@b.iam.gserviceaccount.com"}`,
  ),
  ...cases(
    'privatekey',
    pem('EC ', 'MIGlAgEBBDEA', 4),
    pem('OPENSSH ', 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAA', 7),
    pem('OPENSSH ', 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAA', 6),
    pem('RSA ', 'MIICWwIBAAKBgQ', 13),
    pem('RSA ', 'MIIJKQIBAAKCAgEA', 49),
    pem('', 'MIIEvQIBADANBgkq', 27),
    `{"key": "${pem('', 'MIIEvQIBADANBgkq', 27, '\\n')}\\n", "prop": "value"}`,
  ),
  ...cases(
    'npm',
    key('np', 'm_', made(36)),
    `//registry.npmjs.org/:_authToken=${'1'.repeat(6)}${'a'.repeat(31)}`,
    OAUTH_PACKAGE(made(39, HEX)),
    OAUTH_PACKAGE(made(39, HEX)),
  ),
  ...cases(
    'basicauth',
    `It lies at ${address('ftp', 'user', 'pass', 'example.com')} for all`,
    `It lies at ${address('https', 'user', 'pass', 'example.com')} for all`,
    `const API = "${address('https', 'user', 'secret123', 'api.example.com/endpoint')}";`,
    `この${address('https', 'user', 'pass', 'example.com')}は`,
    `at ${address('https', 'user', 'pass', 'example.com/test')}`,
    `[there](${address('https', 'user', 'pass', 'example.com')})`,
    `const API = "${address('https', 'apiuser', 'r3alP4ssw0rd', 'api.production.com/v2')}";`,
    `const FILES = "${address('ftps', 'deployment', 's3cur3K3y2024', 'files.company.com/uploads')}";`,
    `const BACKUP = "${address('https', 'backup-user', 'BackupK3y987', 'backup.example.com')}";`,
  ),
  ...cases(
    'slack',
    key('https://hooks.', 'slack.com/services/TXXXXX/BXXXXX/XXXXXXXXXX'),
    `at "${key('https://hooks.', 'slack.com/services/T', made(7, UPPER + DIGITS), '/B', made(8, UPPER + DIGITS), '/', made(24, LETTERS))}"`,
    `bot-token=${key('xo', 'xb-', SLACK_IDS(), '-', made(21))}`,
    key('xo', 'xa-', SLACK_IDS()),
    key('xo', 'xb-', SLACK_IDS()),
    key('xo', 'xo-', SLACK_IDS()),
    `user-token: ${key('xo', 'xp-', SLACK_IDS(), '-', made(13, DIGITS), '-', made(32, HEX))}`,
    `${key('xa', 'pp-1-', made(11, UPPER + DIGITS), '-', made(13, DIGITS), '-', made(64, HEX))} is for the app`,
  ),
  ...cases(
    'sendgrid',
    `oops ${key('S', 'G.', made(22), '.', made(43, URL64))}`,
    `som${key('S', 'G.', made(22), '.', made(43, URL64))}ewhere in it`,
  ),
  ...cases(
    'shopify',
    key('shp', 'ss_', made(32)),
    key('shp', 'at_', made(32)),
    key('shp', 'ca_', made(38)),
    key('shp', 'pa_', made(38)),
  ),
  ...cases(
    'github',
    key('gh', 'p_', made(36)),
    key('gh', 's_', '12345', '_ey', 'JhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJ', made(91), '.', made(43, URL64)),
    key('github', '_pat_', made(22), '_', made(59)),
  ),
  ...cases('gitlab', key('glp', 'at-', made(20, LETTERS))),
  ...cases('grafana', key('gl', 'c_ey', made(46), '=='), key('gl', 'sa_', made(32, LOWER + DIGITS), '_', made(8, HEX))),
  ...cases('openai', key('sk', '-', made(20), 'T3Blbk', 'FJ', made(20))),
  ...cases(
    'anthropic',
    ...['api03', 'api03', 'api03', 'api04'].map((version) => key('sk', '-ant-', version, '-', made(93, URL64), 'AA')),
  ),
  ...cases(
    'groq',
    `groq_api_key = '${key('gs', 'k_', made(52))}'`,
    key('gs', 'k_', made(52)),
    `GROQ_API_KEY=${key('gs', 'k_', made(52))}`,
  ),
  ...cases('huggingface', `hf_token = '${key('h', 'f_', 'x'.repeat(34))}'`),
  ...cases('linear', key('lin', '_api_', made(40))),
  ...cases(
    'notion',
    `NOTION_TOKEN=${key('nt', 'n_', made(11, DIGITS), made(35))}`,
    `notion_token = '${key('nt', 'n_', made(11, DIGITS), made(35))}'`,
    `export const NOTION_API_KEY = "${key('nt', 'n_', made(11, DIGITS), made(35))}";`,
  ),
  ...cases('1password', `${key('ops', '_eyJ', made(627))}\n\nops_token is secret.`),
  ...cases(
    'database-connection-string',
    `const A = "${address('mongodb', 'realuser', 's3cr3tP4ss', 'db1.example.net:27017/production')}";`,
    `const A = "${address('mongodb+srv', 'appuser', 'myR3alP@ssw0rd', 'cluster0.mongodb.net/mydb?retryWrites=true')}";`,
    `URI="${address('mongodb', 'root', 'm42ploz2wd', 'google.com:5434/gift')}"`,
    address('mongodb+srv', 'testuser', 'hub24aoeu', 'a-xm273.mongodb.net/test?retryWrites=true&w=majority'),
    address('mongodb', 'admin', 'secretKey456', 'cluster.mongodb.net:27017/admin'),
    address('mongodb+srv', 'user', 'passW0rd123', 'prod-cluster.mongodb.net/production?retryWrites=true'),
    address('mongodb', 'devuser', 'mySecret789', 'dev.mongodb.com:27017/dev_db'),
    `const A = "${address('mysql', 'dbuser', 'compl3xPwd', 'mysql.server.com:3306/database')}";`,
    `const A = "${address('jdbc:mysql', 'admin', 'str0ngP4ss', 'db.company.com:3306/app_db')}";`,
    `URI="${address('mysql', 'root', 'm42ploz2wd', 'google.com:5434/gift')}"`,
    address('mysql', 'testuser', 'secretKey123', 'db.example.com:3306/testdb'),
    address('mysql', 'apiuser', 'passW0rd!', 'internal.db.com:3306/api'),
    address('mysql', 'devuser', 'mySecret2024', 'localhost:3306/dev_db'),
    `const A = "${address('postgresql', 'pguser', 'secur3Pass', 'postgres.example.com:5432/production_db')}";`,
    `const A = "${address('postgres', 'api_user', 'myC0mpl3xPwd', 'db.internal.com:5432/api_db')}";`,
    `create_engine('${address('postgresql', 'postgres', 'm42ploz2wd', 'google.com:5432/mydb')}')`,
  ),
  ...cases(
    'hashicorp-vault',
    `VAULT_TOKEN=${key('hv', 's.', made(95, URL64))}`,
    `vault_service_token = '${key('hv', 's.', made(100, URL64))}'`,
    key('hv', 's.', made(115, URL64)),
    `VAULT_BATCH_TOKEN=${key('hv', 'b.', made(150, URL64))}`,
    key('hv', 'b.', made(200, URL64)),
    `VAULT_RECOVERY_TOKEN='${key('hv', 'r.', made(95, URL64))}'`,
  ),
  ...cases('vercel', ...VERCEL),
  ...cases(
    'databricks',
    `DATABRICKS_TOKEN=${key('da', 'pi', made(32, HEX))}`,
    `token: "${key('da', 'pi', made(32, HEX), '-3')}"`,
    `databricks_pat = '${key('da', 'pi', made(32, HEX))}'`,
  ),
  ...cases('docker', `DOCKER_TOKEN=${key('dckr', '_pat_', made(27, ALNUM))}`),
  ...cases('figma', `FIGMA_TOKEN=${key('fi', 'gd_', made(56))}`),
];

/** Texts that its own tests want left alone. */
export const LIBRARY_ORDINARY: readonly string[] = [
  '# THIS IS NOT AWS SECRET\nANY_KEY = ZHVtbXkgdGV4dCBkYXRhIGRhdGEgZGF0YQ==',
  'The id is: AKIAIOSFODNN7EXAMPLE',
  'AWS_SECRET_ACCESS_KEY = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  key(
    '"private_key":"-----BEGIN PRIVATE',
    ' KEY-----\\n...\\n-----END PRIVATE',
    ' KEY-----\\n","client_email":"a@b.iam.gserviceaccount.com"',
  ),
  key('-----BEGIN PRIVATE', ' KEY-----\n***\n-----END PRIVATE', ' KEY-----'),
  key('-----BEGIN PRIVATE', ' KEY-----\nxxx\n-----END PRIVATE', ' KEY-----'),
  key('PRIVATE_KEY="-----BEGIN PRIVATE', ' KEY-----\nYOUR_PRIVATE_KEY_CONTENT_HERE\n-----END PRIVATE', ' KEY-----"'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of npm
  '//registry.npmjs.org/:_authToken=${NPM_TOKEN}',
  'const FILES = "ftps://admin:password@secure.ftp.com/files";',
  'THIS IS OK https: https://api.slack.com/web.',
  `${key('gX', 'X_', made(36))}\n\ngXX is no prefix of GitHub`,
  'const A = "mongodb://username:password@localhost:27017/database";',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of a shell
  'const A = "mysql://user:${PASSWORD}@example.com:3306/db";',
  'const A = "postgresql://{username}:{password}@{{host}}:5432/{database}";',
  'const A = "mongodb://localhost:27017/database";',
  'const A = "mongodb://YOUR_USERNAME:YOUR_PASSWORD@cluster.mongodb.net/test";',
  'const A = "mysql://admin:REPLACE_WITH_PASSWORD@mysql.server.com:3306/database";',
  'gsk_abc123',
  'ntn_abc',
  'secret_abc123',
  'hvs.abc\nhvb.tooshortxxx\nhvr.placeholder',
  '# token: hvs.example',
  'dapi1234',
  'https://docs.databricks.com/aws/en/dev-tools/auth/pat',
  'DOCKER_TOKEN=not_a_real_token\ndckr_pat_tooshort\ndckr_pat_',
  'https://api.notion.com/v1/databases',
];
