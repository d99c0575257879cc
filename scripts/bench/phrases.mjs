/** Real phrases of engineering work for made-up memories; `synthetic.mjs` mixes them with drawn words. */

export const FUNCTION_WORDS =
  'the a of to in and for with on from by at as that when before after while into over is are was not it its this each'.split(
    ' ',
  );

export const ACTIVITIES = [
  'when adding a column to a large table',
  'when regenerating the API client',
  'before pushing a release tag',
  'while rebasing a long-lived branch',
  'when writing an integration test that waits for a queue',
  'before running a database migration in production',
  'when upgrading a major version of a dependency',
  'while debugging a flaky test on the shared runner',
  'when changing the retry policy of an HTTP client',
  'about to rename a public function',
  'when adding an index to a live table',
  'before deleting a feature flag',
  'when reviewing a change to the permission checks',
  'while profiling a slow endpoint',
  'when mocking the clock in a unit test',
  'before changing a message that other services consume',
  'when editing a Terraform module that several stacks use',
  'while splitting a large component',
  'when parsing dates that users typed',
  'before merging a change to the build cache key',
  'when adding a dependency to the shared image',
  'while moving code between packages of the monorepo',
  'when writing a shell script that removes files',
  'before restarting a stateful service',
  'when logging inside a hot loop',
  'while translating error messages',
  'when comparing floating point amounts',
  'before changing the schema of an event',
  'when reading configuration from the environment',
  'while adding pagination to a list endpoint',
];

export const OUTCOMES = [
  'editing the generated file by hand',
  'the table was locked for several minutes',
  'the next generation run removed the fix',
  'sleeping a fixed time before asserting',
  'the build passed locally and failed on the runner',
  'two workers picked up the same job',
  'catching every exception and going on',
  'the cache served stale content for an hour',
  'the rollback needed a manual data repair',
  'the review took three rounds instead of one',
  'memory use grew until the process was killed',
  'pinning the version in one place only',
  'the alert fired every night and was muted',
  'clients on the old version could not decode it',
  'hard coding the path of the home directory',
  'the lock file changed in unrelated places',
  'the test passed although the code did nothing',
  'reading the whole file into memory at once',
];

export const ADVICE = [
  'change the schema or the template and generate again',
  'add it nullable and backfill in small batches',
  'poll the condition with a deadline',
  'run the full check before pushing',
  'write the failing test first',
  'ask the owner of the module before changing it',
  'keep the old field for one more release',
  'put the limit into the query and not behind it',
  'use the helper of the shared package',
  'compare by instant and never by text',
  'take the lock before reading the file',
  'state the unit in the name of the variable',
  'make the job idempotent and retry it whole',
  'measure before and after on the same machine',
  'prefer one explicit transaction',
  'say in the message what to do next',
];

export const SUBJECTS = [
  'invoice-worker',
  'shop-api',
  'search indexer',
  'release pipeline',
  'web console',
  'billing database',
  'nightly export',
  'mobile build',
  'feature flag service',
  'staging cluster',
];

export const PREDICATES = [
  'reads-configuration-from',
  'is-deployed-by',
  'depends-on',
  'runs-tests-with',
  'stores-files-in',
  'is-owned-by',
  'retries-with',
  'listens-on',
  'expects',
  'must-not-use',
];

export const PROJECTS = [
  'shop-api',
  'web-console',
  'billing',
  'fleet',
  'search',
  'mobile-app',
  'data-pipeline',
  'infra',
];

export const SOURCES = ['user correction', 'code review', 'incident notes', 'observed in a session', 'onboarding'];
