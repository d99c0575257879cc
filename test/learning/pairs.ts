import type { Relation } from '../../src/learning/relation.ts';

/** Texts of feedback: situation, behavior, action. Of facts: subject, predicate, object. */
type Texts = readonly [string, string, string];

/** A known memory, a draft, and what a person says they are to each other. */
export interface Pair {
  readonly type: 'feedback' | 'fact';
  readonly known: Texts;
  readonly draft: Texts;
  readonly relation: Relation;
}

const feedback = (relation: Relation, known: Texts, draft: Texts): Pair => ({
  type: 'feedback',
  known,
  draft,
  relation,
});
const fact = (relation: Relation, known: Texts, draft: Texts): Pair => ({ type: 'fact', known, draft, relation });

/** Pairs that the rules were made with. */
export const PAIRS: readonly Pair[] = [
  feedback(
    'same',
    ['When adding a column to a big table', 'Adding it NOT NULL', 'Add it nullable, then backfill in batches'],
    [
      'When you are adding columns to big tables',
      'Adding it as NOT NULL',
      'Add it nullable and then backfill in batches',
    ],
  ),
  feedback(
    'same',
    ['Before pushing a branch', 'Pushing untested code', 'Run make check'],
    ['Before you push the branch', 'Pushing code that is untested', 'Always run `make check`'],
  ),
  feedback(
    'same',
    ['When writing a commit message', 'Listing files', 'Say why in one sentence'],
    ['While writing commit messages', 'Listing the files', 'Please say why in 1 sentence'],
  ),
  feedback(
    'same',
    ['When indenting Go files', 'Indenting with spaces', 'Use tabs'],
    ['When indenting a Go file', 'Indenting by spaces', 'Use tabs!'],
  ),
  feedback(
    'opposite',
    ['When indenting source files', 'Mixing tabs and spaces', 'Use tabs'],
    ['When indenting source files', 'Mixing styles', "Don't use tabs"],
  ),
  feedback(
    'opposite',
    ['When merging a feature branch', 'Making a merge commit', 'Squash the commits'],
    ['When merging a feature branch', 'Squashing the commits', 'Make a merge commit'],
  ),
  feedback(
    'opposite',
    ['When releasing the library', 'Tagging by hand', 'Tag before publishing'],
    ['When releasing the library', 'Tagging in a hurry', 'Tag after publishing'],
  ),
  feedback(
    'opposite',
    ['When running the tests of the shop', 'Using npm', 'Use pnpm instead of npm'],
    ['When running the tests of the shop', 'Using pnpm', 'Use npm instead of pnpm'],
  ),
  feedback(
    'opposite',
    ['When deploying the worker', 'Leaving the cache on', 'Disable the build cache'],
    ['When deploying the worker', 'Waiting for long builds', 'Enable the build cache'],
  ),
  feedback(
    'opposite',
    ['When an HTTP request fails', 'Giving up', 'Always retry the request'],
    ['When an HTTP request fails', 'Making the outage worse', 'Never retry the request'],
  ),
  feedback(
    'opposite',
    ['When formatting Python', 'Using two tools', 'Prefer ruff over black'],
    ['When formatting Python', 'Using two tools', 'Prefer black over ruff'],
  ),
  feedback(
    'related',
    ['When adding a column to a big table', 'Adding it NOT NULL', 'Add it nullable, then backfill in batches of 5,000'],
    ['When adding a column to a big table', 'Adding it NOT NULL', 'Add it nullable, then backfill in batches of 500'],
  ),
  feedback(
    'related',
    ['When migrating the data', 'Locking the table', 'Do it in one step'],
    ['When migrating the data', 'Locking the table', 'Do it in two steps'],
  ),
  feedback(
    'related',
    ['When the API client is regenerated', 'Editing it by hand', 'Change the schema and run make client'],
    ['When the API client is regenerated', 'Forgetting the changelog', 'Write a line in the changelog'],
  ),
  feedback(
    'related',
    ['When planning the release freeze', 'Merging late', 'The freeze starts on Oct 15'],
    ['When planning the release freeze', 'Merging late', 'The freeze starts on Oct 16'],
  ),
  feedback(
    'related',
    ['Before deploying the shop', 'Skipping the smoke test', 'Run scripts/smoke.sh'],
    ['Before deploying the shop', 'Skipping the smoke test', 'Run scripts/warm.sh'],
  ),
  feedback(
    'related',
    ['When setting a timeout of the gateway', 'Setting none', 'Set it to 30 s'],
    ['When setting a timeout of the gateway', 'Setting none', 'Set it to 30 ms'],
  ),
  feedback(
    'none',
    ['When adding a column to a big table', 'Adding it NOT NULL', 'Add it nullable'],
    ['When writing a commit message', 'Listing files', 'Say why in one sentence'],
  ),
  feedback(
    'none',
    ['When running the tests of the shop', 'Running all of them', 'Use make test-fast'],
    ['When the user asks for a summary', 'Writing pages', 'Use three sentences'],
  ),
  feedback(
    'none',
    ['Before pushing a branch', 'Pushing untested code', 'Run make check'],
    ['When choosing a name for a variable', 'Naming it x', 'Use a whole word'],
  ),
  fact('same', ['shop-api', 'test command', 'make check'], ['the shop-api', 'test-command', '`make check`']),
  fact(
    'same',
    ['Invoice worker', 'reads time from', 'the database server'],
    ['invoice worker', 'reads_time_from', 'database server'],
  ),
  fact('same', ['shop-api', 'has', 'two replicas'], ['shop-api', 'has', '2 replicas']),
  fact('opposite', ['shop-api', 'test-command', 'make'], ['shop-api', 'test-command', 'just']),
  fact('opposite', ['shop-api', 'listens on', 'port 8080'], ['shop-api', 'listens on', 'port 8081']),
  fact('opposite', ['shop-web', 'default branch', 'main'], ['shop-web', 'default branch', 'develop']),
  fact(
    'opposite',
    ['shop-api', 'stores orders in', 'MySQL'],
    ['shop-api', 'stores orders in', 'PostgreSQL instead of MySQL'],
  ),
  fact('related', ['shop-api', 'uses', 'Redis for sessions'], ['shop-api', 'uses', 'Redis for the job queue']),
  fact('related', ['shop-api', 'depends on', 'the billing service'], ['shop-web', 'depends on', 'the billing service']),
  fact('related', ['release freeze', 'starts on', 'Oct 15'], ['release freeze', 'starts on', 'Oct 16']),
  fact('none', ['shop-api', 'uses', 'redis'], ['shop-web', 'uses', 'vite']),
  fact('none', ['shop-api', 'test-command', 'make check'], ['billing', 'default branch', 'main']),
];

/** Written before the rules, and not looked at while they were made. */
export const PAIRS_HELD_OUT: readonly Pair[] = [
  feedback(
    'same',
    ['When resolving a merge conflict in the lock file', 'Editing the lock file', 'Delete it and install again'],
    ['When resolving merge conflicts in a lock file', 'Editing lock files', 'Delete it and then install again.'],
  ),
  feedback(
    'same',
    ['About to drop a database table', 'Dropping it at once', 'Rename the table first, wait one week'],
    ['About to drop database tables', 'Dropping them at once', 'First rename the table; wait 1 week'],
  ),
  feedback(
    'same',
    ['When reviewing code of others', 'Asking for style changes', 'Leave style to the linter'],
    ['When reviewing the code of others', 'Asking for changes of style', 'You should leave style to the linter'],
  ),
  feedback(
    'same',
    ['When logging a payment', 'Logging the body', 'Log the id and the status only'],
    ['When logging payments', 'Logging bodies', 'Log only the id and the status'],
  ),
  feedback(
    'opposite',
    ['When starting the dev server', 'Exposing it', 'Bind it to localhost'],
    ['When starting the dev server', 'Binding it to localhost', 'Bind it to all interfaces'],
  ),
  feedback(
    'opposite',
    ['When writing React components', 'Writing classes', 'Use function components, not classes'],
    ['When writing React components', 'Writing functions', 'Use classes, not function components'],
  ),
  feedback(
    'opposite',
    ['When the linter reports a warning', 'Stopping the build', 'Ignore the warning'],
    ['When the linter reports a warning', 'Letting it grow', 'Do not ignore the warning'],
  ),
  feedback(
    'opposite',
    ['When running migrations in CI', 'Running them by hand', 'Allow migrations in the pipeline'],
    ['When running migrations in CI', 'Running them at night', 'Forbid migrations in the pipeline'],
  ),
  feedback(
    'opposite',
    ['When writing a test for the parser', 'Writing few', 'Avoid snapshots'],
    ['When writing a test for the parser', 'Writing long assertions', 'Use snapshots'],
  ),
  feedback(
    'opposite',
    ['When publishing the package', 'Publishing a stale build', 'Build before bumping the version'],
    ['When publishing the package', 'Publishing the wrong version', 'Bump the version before building'],
  ),
  feedback(
    'related',
    ['When calling the payment provider', 'Waiting for ever', 'Set the timeout to 5 seconds'],
    ['When calling the payment provider', 'Waiting for ever', 'Set the timeout to 15 seconds'],
  ),
  feedback(
    'related',
    ['When upgrading the database driver', 'Taking the newest', 'Stay on version 2.4.1'],
    ['When upgrading the database driver', 'Taking the newest', 'Stay on version 2.5.0'],
  ),
  feedback(
    'related',
    ['When writing an e-mail to customers', 'Promising dates', 'Name no dates'],
    ['When writing an e-mail to customers', 'Writing too much', 'Keep it below ten lines'],
  ),
  feedback(
    'related',
    ['When editing the configuration of nginx', 'Reloading at once', 'Check nginx.conf first'],
    ['When editing the configuration of nginx', 'Reloading at once', 'Check sites.conf first'],
  ),
  feedback(
    'related',
    ['When running a backfill', 'Running it by day', 'Run it on Monday morning'],
    ['When running a backfill', 'Running it by day', 'Run it on Sunday morning'],
  ),
  feedback(
    'none',
    ['When calling the payment provider', 'Waiting for ever', 'Set a timeout'],
    ['When naming a branch', 'Using capitals', 'Use small letters'],
  ),
  feedback(
    'none',
    ['When publishing the package', 'Publishing a stale build', 'Build first'],
    ['When answering a question about pricing', 'Guessing', 'Read the price list'],
  ),
  feedback(
    'none',
    ['When starting the dev server', 'Exposing it', 'Bind it to localhost'],
    ['When translating texts', 'Changing placeholders', 'Keep placeholders'],
  ),
  feedback(
    'none',
    ['When writing a test for the parser', 'Sleeping', 'Use a fake clock'],
    ['When writing to the log from a worker', 'Using print', 'Use the logger'],
  ),
  fact(
    'same',
    ['the deploy script', 'lives in', 'scripts/deploy.sh'],
    ['Deploy script', 'lives-in', '`scripts/deploy.sh`'],
  ),
  fact('same', ['gateway', 'is a', 'reverse proxy'], ['the gateway', 'is', 'a reverse proxy']),
  fact('same', ['mobile app', 'supports', 'three languages'], ['mobile app', 'supports', '3 languages']),
  fact('opposite', ['gateway', 'owner', 'the platform team'], ['gateway', 'owner', 'the payments team']),
  fact('opposite', ['billing', 'build command', 'npm run build'], ['billing', 'build-command', 'pnpm build']),
  fact('opposite', ['engine', 'version', '3.1.0'], ['engine', 'version', '3.2.0']),
  fact('opposite', ['docs', 'are built with', 'Sphinx'], ['docs', 'switched from', 'Sphinx to MkDocs']),
  fact('related', ['gateway', 'routes to', 'shop-api'], ['gateway', 'routes to', 'shop-web']),
  fact('related', ['mobile app', 'supports', 'three languages'], ['mobile app', 'supports', 'four languages']),
  fact('related', ['staging', 'runs on', 'Kubernetes 1.29'], ['staging', 'runs on', 'Kubernetes 1.30']),
  fact('none', ['gateway', 'owner', 'the platform team'], ['invoices', 'are stored in', 'S3']),
  fact('none', ['docs', 'are built with', 'Sphinx'], ['mobile app', 'is written in', 'Kotlin']),
  fact('none', ['engine', 'returns', 'JSON'], ['gateway', 'returns', 'HTML']),
];
