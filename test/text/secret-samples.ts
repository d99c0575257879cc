// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts in other languages
/**
 * Texts with and without a secret, written for the tests. Values are made here from a seed, so that no scanner of sources
 * finds one, and none opens anything.
 */
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const LETTERS = LOWER + LOWER.toUpperCase();
const ALNUM = LETTERS + DIGITS;
const HEX = `${DIGITS}abcdef`;
const URL64 = `${ALNUM}-_`;
const BASE64 = `${ALNUM}+/`;

let state = 20_260_402;

/** `length` characters of `alphabet`, the same in every run. */
function made(length: number, alphabet = ALNUM): string {
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet[(state >>> 8) % alphabet.length];
  }
  return text;
}

const upper = (length: number) => made(length, LOWER.toUpperCase() + DIGITS);
const key = (...parts: readonly string[]) => parts.join('');
const uuid = () => [8, 4, 4, 4, 12].map((length) => made(length, HEX)).join('-');

export interface SecretSample {
  /** What it opens. */
  readonly of: string;
  readonly text: string;
  /** No part of it may be left once it is redacted. */
  readonly value: string;
}

/** Each kind of value in sentences as a memory has them. */
function samples(of: string, make: () => string, sentences: readonly ((value: string) => string)[]): SecretSample[] {
  return sentences.map((sentence) => {
    const value = make();
    return { of, value, text: sentence(value) };
  });
}

const inProse = (value: string) => `When the nightly build cannot reach the service, use ${value}, then try again.`;
const inParentheses = (value: string) => `Rotate the old one (${value}) before Friday`;
const inCode = (value: string) => `Run \`deploy --with ${value}\` from the root of the repository.`;
const alone = (value: string) => value;

export const SECRETS: readonly SecretSample[] = [
  ...samples('github', () => key('ghp', '_', made(36)), [inProse, inParentheses, inCode, alone]),
  ...samples('github fine-grained', () => key('github', '_pat_', made(22), '_', made(59)), [inProse, alone]),
  ...samples('gitlab', () => key('glpat', '-', made(20)), [inProse, inParentheses, alone]),
  ...samples('gitlab runner', () => key('glrt', '-', made(20)), [inProse]),
  ...samples('aws key id', () => key('AK', 'IA', made(16, `${LOWER.toUpperCase()}234567`)), [
    inProse,
    inParentheses,
    alone,
  ]),
  ...samples('aws secret', () => made(40, BASE64), [
    (value) => `aws_secret_access_key = ${value}`,
    (value) => `export AWS_SECRET_ACCESS_KEY=${value}`,
    (value) => `"SecretAccessKey": "${value}"`,
  ]),
  ...samples('slack', () => key('xo', 'xb-', made(12, DIGITS), '-', made(12, DIGITS), '-', made(24)), [
    inProse,
    inCode,
    alone,
  ]),
  ...samples(
    'slack webhook',
    () => key('https://hooks.', 'slack.com/services/T', upper(8), '/B', upper(8), '/', made(24)),
    [inProse, alone],
  ),
  ...samples('stripe', () => key('sk', '_live_', made(24)), [inProse, inParentheses, alone]),
  ...samples('stripe restricted', () => key('rk', '_live_', made(24)), [inProse]),
  ...samples('openai', () => key('sk', '-proj-', made(58), 'T3Blbk', 'FJ', made(58)), [inProse, alone]),
  ...samples('anthropic', () => key('sk', '-ant-api03-', made(93, URL64), 'AA'), [inProse, alone]),
  ...samples('hugging face', () => key('hf', '_', made(34, LETTERS)), [inProse, inCode]),
  ...samples('google', () => key('AI', 'za', made(35, URL64)), [
    inProse,
    (value) => `https://maps.example.com/js?key=${value}&v=3`,
  ]),
  ...samples('npm', () => key('np', 'm_', made(36)), [inProse, (value) => `//registry.npmjs.org/:_authToken=${value}`]),
  ...samples('pypi', () => key('py', 'pi-AgEIcHlwaS5vcmc', made(70, URL64)), [inProse, alone]),
  ...samples('rubygems', () => key('ruby', 'gems_', made(48, HEX)), [inProse]),
  ...samples('sendgrid', () => key('S', 'G.', made(22, URL64), '.', made(43, URL64)), [inProse, alone]),
  ...samples('mailgun', () => key('key', '-', made(32, HEX)), [(value) => `MAILGUN_API_KEY=${value}`]),
  ...samples('twilio', () => key('S', 'K', made(32, HEX)), [inProse, inCode]),
  ...samples('digitalocean', () => key('dop', '_v1_', made(64, HEX)), [inProse, alone]),
  ...samples('shopify', () => key('shp', 'at_', made(32, HEX)), [inProse]),
  ...samples('linear', () => key('lin', '_api_', made(40)), [inProse]),
  ...samples('notion', () => key('nt', 'n_', made(11, DIGITS), made(35)), [inProse]),
  ...samples('grafana', () => key('gl', 'sa_', made(32), '_', made(8, HEX)), [inProse]),
  ...samples('docker', () => key('dckr', '_pat_', made(27)), [inProse]),
  ...samples('vault', () => key('hv', 's.', made(95, URL64)), [inProse]),
  ...samples('databricks', () => key('da', 'pi', made(32, HEX)), [inProse]),
  ...samples('figma', () => key('fi', 'gd_', made(43, URL64)), [inProse]),
  ...samples('vercel', () => key('vc', 'p_', made(24)), [inProse]),
  ...samples('jwt', () => key('ey', 'JhbGciOiJIUzI1NiJ9.ey', made(60, ALNUM), '.', made(43, URL64)), [
    inProse,
    (value) => `curl -H 'Authorization: Bearer ${value}' https://api.internal/v1/orders`,
  ]),
  ...samples(
    'private key',
    () => key('-----BEGIN RSA PRIVATE', ' KEY-----\nMI', made(200, BASE64), '\n-----END RSA PRIVATE', ' KEY-----'),
    [(value) => `The key of the old host:\n${value}\nIt is revoked.`, (value) => value.replace(/\n-----END.*$/, '')],
  ),
  ...samples('age', () => key('AGE-SECRET', '-KEY-1', made(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')), [inProse]),
  ...samples('address', () => made(14), [
    (value) => `DATABASE_URL=postgres://app:${value}@db.internal:5432/orders`,
    (value) => `Connect with mongodb+srv://writer:${value}@cluster0.mongodb.net/shop`,
    (value) => `The broker is amqp://worker:${value}@mq.internal:5672/jobs.`,
    (value) => `redis://:${value}@cache.internal:6379/0`,
    (value) => `git clone https://deploy:${value}@git.internal.io/shop.git`,
    (value) => `mysql://root:${value}@10.0.0.7/shop`,
  ]),
  ...samples('password', () => key(made(5, LETTERS), '!', made(4, DIGITS), made(3, LETTERS)), [
    (value) => `password: ${value}`,
    (value) => `The password is ${value}.`,
    (value) => `Log in with password \`${value}\``,
    (value) => `DB_PASS=${value}`,
    (value) => `machine shop.internal login deploy password ${value}`,
    (value) => `mysql -u root -p${value} shop`,
    (value) => `sshpass -p ${value} ssh deploy@shop`,
    (value) => `redis-cli -h cache -a ${value} ping`,
    (value) => `docker login -u deploy -p ${value} registry.shop.internal`,
    (value) => `DB_PASSWORD=${value}`,
    (value) => `{"user": "app", "password": "${value}"}`,
    (value) => `mysqldump --user app --password=${value} shop > dump.sql`,
    (value) => `The passphrase is "${value}".`,
    (value) => `sshpass -e with SSHPASS_PASSWORD='${value}' works`,
    (value) => `spring.datasource.password = ${value}`,
    (value) => `PGPASSWORD=${value} psql -h db.internal`,
    (value) => `login with admin, pwd: ${value}`,
    (value) => `<password>${value}</password>`,
  ]),
  ...samples('named token', () => made(32), [
    (value) => `api_key = "${value}"`,
    (value) => `API_TOKEN=${value}`,
    (value) => `client_secret: ${value}`,
    (value) => `const authToken = '${value}';`,
    (value) => `x-api-key: ${value}`,
    (value) => `Authorization: Bearer ${value}`,
    (value) => `https://hooks.internal/run?token=${value}&now=1`,
    (value) => `deployctl login --token ${value}`,
    (value) => `The access token is ${value}, valid until June.`,
    (value) => `encryption key: ${value}`,
    (value) => `SECRET_KEY_BASE=${value}`,
    (value) => `signing_secret => "${value}"`,
  ]),
  ...samples('hex token', () => made(32, HEX), [
    (value) => `DATADOG_API_KEY=${value}`,
    (value) => `"auth_token": "${value}"`,
  ]),
  ...samples('private', () => 'Mira leaves in May', [
    (value) => `Ask the team. <private>${value}</private> Then plan.`,
    (value) => `<private>\n${value}`,
    (value) => `${value}</private>`,
  ]),
];

const commit = made(40, HEX);
const short = made(7, HEX);
const sha256 = made(64, HEX);
const md5 = made(32, HEX);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const times = (character: string, count: number) => character.repeat(count);

/** What a memory of a developer may say. */
export const ORDINARY: readonly string[] = [
  // Commits, ids, checksums.
  `Revert ${commit} before the release`,
  `Fixed in ${short}, broke again in ${made(8, HEX)}`,
  `git bisect says ${commit} is the first bad commit`,
  `The cache key is ${commit}`,
  `key: ${sha256}`,
  `cache-key: node-modules-${sha256}`,
  `sha256:${sha256}`,
  `sha256 = "${sha256}"`,
  `md5: ${md5}`,
  `checksum ${md5} does not match`,
  `integrity: sha512-${made(86, BASE64)}==`,
  `"integrity": "sha384-${made(64, BASE64)}"`,
  `docker pull registry.internal/shop@sha256:${sha256}`,
  `The order ${uuid()} was paid twice`,
  `idempotency key: ${uuid()}`,
  `Idempotency-Key: ${uuid()}`,
  `token_id = ${uuid()}`,
  `primary key: ${uuid()}`,
  `request id ${uuid()} in the log of the gateway`,
  `trace ${made(32, HEX)} span ${made(16, HEX)}`,
  `etag "${md5}"`,
  `ETag: W/"${md5}"`,
  `go.sum says h1:${made(43, BASE64)}=`,
  `fingerprint SHA256:${made(43, BASE64)}`,
  `The GPG key id is ${upper(16)}`,
  `ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV sorts by time`,
  `subresource hash ${made(40, HEX)} of app.js`,
  `gitlink: ${commit}`,
  `pinned: actions/checkout@${commit}`,
  // Keys of documentation.
  'AWS documents AKIAIOSFODNN7EXAMPLE as its example',
  'aws_access_key_id = AKIAIOSFODNN7EXAMPLE',
  'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'AWS_SECRET_ACCESS_KEY=je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
  'AKIAI44QH8DHBEXAMPLE is in the second example',
  // Placeholders.
  'password: <PASSWORD>',
  'password = "<your password>"',
  'token: $TOKEN',
  'token: ${TOKEN}',
  'export API_TOKEN="${API_TOKEN}"',
  'api_key: {{ api_key }}',
  'password: %DB_PASSWORD%',
  'password: xxxxxxxx',
  'password: ********',
  'token = XXXXXXXXXXXXXXXXXXXXXXXX',
  `ghp_${times('x', 36)}`,
  `glpat-${times('X', 20)}`,
  `xoxb-${times('0', 12)}-${times('0', 12)}-${times('x', 24)}`,
  'Authorization: Bearer <TOKEN>',
  "curl -H 'Authorization: Bearer $TOKEN' https://api.internal",
  'password=changeme',
  'secret: your-secret-here',
  'api_key = "YOUR_API_KEY_GOES_HERE"',
  'token: [redacted:github-pat]',
  'password: [redacted:password]',
  'client_secret: "replace-me-with-the-real-one-1"',
  'postgres://user:password@localhost:5432/app',
  'postgres://${DB_USER}:${DB_PASSWORD}@db:5432/app',
  'mongodb://localhost:27017/shop',
  'redis://cache:6379/0',
  'https://user:<password>@host/path',
  'amqp://guest:guest@localhost',
  'SECRET_KEY = os.environ["SECRET_KEY"]',
  'const token = process.env.GITHUB_TOKEN;',
  'apiKey: process.env.OPENAI_API_KEY ?? ""',
  'password: ENV.fetch("DB_PASSWORD")',
  'token: ${{ secrets.GITHUB_TOKEN }}',
  'password = getpass.getpass()',
  'secret: !vault secret/data/shop#password',
  'password_file: /run/secrets/db_password',
  'api-key: op://Engineering/Stripe/credential',
  'token = sys.argv[1]',
  'password: required|min:12|confirmed',
  'key: String = DEFAULT_KEY_2048',
  // Prose about passwords, tokens and keys.
  'The tests pass: 12 of 20 runs on node20',
  'Do not pass `data={[]}` to the chart, pass `null2` instead',
  'The password is required, and SHA256-hashed before it is sent',
  'mysql --port 3307 -proot -u root shop',
  'login as dana with password auth2 disabled',
  'When storing a password, hash it with argon2id and 19456 KiB',
  'The password is stored in the vault under shop/production',
  'The password is at least 12 characters long, with a digit',
  'Ask Mira for the password of the staging database',
  'Never write the token into the config file; use the secret store',
  'The token expires after 3600 seconds, so refresh it after 3000',
  'Token: the access token of the user, as JWT',
  'tokens: 4096 is the limit of the context',
  'max_tokens=4096 and temperature=0.2',
  'The secret is to keep batches below 5,000 rows',
  'key: value pairs are sorted by key',
  'The primary key is (tenant_id, order_id)',
  'A foreign key to orders.id is missing in order_items',
  'The keyword is matched without case',
  'Press Ctrl+Shift+P, then type "reload window"',
  'keys: Ctrl+Shift+Alt+F12',
  'key: user:1234:profile:v2 expires after a day',
  'cache key: orders/2026-04-02/eu-west-1/page-12',
  'auth: OAuth2 with PKCE (RFC 7636)',
  'authorization: role-based, see docs/authorization.md',
  'Authorization: Basic is refused since v2.4.1',
  'password reset mails are sent by mailer-worker-2',
  'Passwords: 3 of 4 classes (NIST SP 800-63B says otherwise)',
  'credential helper: git-credential-manager-core 2.0.935',
  'The API key has 32 characters and starts with sk_live_',
  'Tokens of GitHub begin with ghp_, gho_, ghu_, ghs_ or ghr_',
  'A Slack token begins with xoxb- or xoxp-',
  'AKIA is the prefix of access keys of AWS',
  'Private keys begin with -----BEGIN RSA PRIVATE KEY-----',
  'Rotate the signing key every 90 days (see RFC-0042)',
  'The key insight is that O(n^2) is fine below 1000 rows',
  'the secret store of the cluster is external-secrets 0.9.11',
  'token bucket: 100 requests a minute, burst 20',
  'csrf_token is checked by the middleware before the route',
  'The word token in "token ring" is not a credential',
  'Use pass-through authentication for localhost:8080',
  'passwd: files systemd in /etc/nsswitch.conf',
  'private: true in package.json keeps it from being published',
  'The private registry is https://npm.internal.example.com/',
  'a private method is named with a leading #',
  // Code, names, addresses, numbers.
  'src/auth/token-refresh.service.spec.ts fails on Node 20.19',
  'import { createHash, randomUUID } from "node:crypto"',
  'const key = `${tenant}:${order.id}:${version}`;',
  'let token = tokens[index + 1];',
  'if (password.length < 12) throw new WeakPasswordError()',
  'export const TOKEN_TYPES = ["access", "refresh"] as const;',
  'auth.getSession().then((session) => session.accessToken)',
  'key={`${row.id}-${column.id}`}',
  'getPasswordResetTokenExpirationInMinutes()',
  'utf8mb4_0900_ai_ci is the collation of the key column',
  'PRIMARY KEY (id), UNIQUE KEY uk_orders_number (number)',
  'ALTER TABLE orders ADD COLUMN token_hash CHAR(64) NOT NULL',
  'password_digest: string, limit: 60',
  'X-RateLimit-Remaining: 4999',
  'Content-Type: application/x-www-form-urlencoded',
  'arn:aws:iam::123456789012:role/deploy',
  'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/db-AbCdEf',
  'projects/shop-prod-284711/secrets/db-password/versions/7',
  'https://eu-west-1.console.aws.amazon.com/secretsmanager/home?region=eu-west-1',
  'https://vault.internal:8200/v1/secret/data/shop/production',
  's3://shop-artifacts-prod/builds/2026-04-02T10-00-00Z/app.tar.gz',
  'registry.internal/shop/api:1.42.0-rc.3-linux-amd64',
  'postgresql 16.2 on db-7f9c6d5b8-x2x4q',
  'pod shop-api-6d4cf56db6-9kqzv restarts every 20 minutes',
  'fe80::1ff:fe23:4567:890a is the address of the link',
  '00:1B:44:11:3A:B7 is the MAC of the printer',
  'The port is 5432, the pool has 20 connections',
  'version 1.2.3-beta.4+build.20260402.5f3e1d2',
  '4111 1111 1111 1111 is the test card',
  '+49 30 901820 is the number of the hotline',
  'IBAN DE89 3704 0044 0532 0130 00 is the one of the examples',
  'Base64 of the header is eyJhbGciOiJIUzI1NiJ9',
  `The payload is ${base64('hello world, this is an ordinary text')}`,
  `secret: ${base64('an ordinary sentence of words')}`,
  `data: ${base64('{"name":"shop","replicas":3}')}`,
  `token = "${base64('only words in here')}"`,
  `key: ${base64('the quick brown fox jumps over the lazy dog')}`,
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl mira@shop',
  '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9\n-----END PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----\nMIIBhTCCASugAwIBAgIQIRi6zePL6mKjOipn+dNuaTAKBggqhkjOPQQDAjASMRAw\n-----END CERTIFICATE-----',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa is how the test fills it',
  'lorem-ipsum-dolor-sit-amet-consectetur-adipiscing-elit',
  'AbstractSingletonProxyFactoryBeanTokenProvider is the class',
  'The class is com.example.shop.auth.JwtTokenProviderConfiguration2',
  'C:\\Users\\mira\\AppData\\Local\\Programs\\Token\\key.pem',
  '~/.ssh/id_ed25519 is the key for deploys',
  '/etc/ssl/private/shop.internal.key has mode 0600',
  'KEY_LENGTH=4096 and KEY_TYPE=rsa',
  'password_policy: min=12 max=128 history=5',
  'secret_name: shop-db-credentials-v2',
  'secretKeyRef: { name: shop-db, key: password }',
  'imagePullSecrets: [registry-credentials-2026]',
  'tokenizer: cl100k_base, model: gpt-4o-2024-08-06',
  'key_prefix: "shop:prod:sessions:"',
  'sort_key = "created_at#2026-04-02#0007"',
  'Partition key: TENANT#42, sort key: ORDER#2026-04-02T10:00:00Z',
  'license key: AGPL-3.0-or-later',
  'i18n key: checkout.summary.total_with_tax_2',
  'The API answers 401 when the key is missing, 403 when it is wrong',
  'Set `auth_basic_user_file /etc/nginx/.htpasswd;` in the vhost',
  'map key 0xdeadbeef to the handler',
  'key 0x1F4A9 is taken',
  'The keyboard layout is de-latin1-nodeadkeys',
  'authors: Mira2 <mira@example.org>',
  'password: déjà-vu ou naïveté, au choix',
  'Das Passwort: überall dasselbe',
  'password: 密码在保险库里',
];
