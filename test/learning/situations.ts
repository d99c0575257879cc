/** A situation to lint, with the action it belongs to where that matters. */
export interface Sample {
  readonly situation: string;
  readonly action: string;
}

const sample = (situation: string, action = 'Ask the owner of the module first'): Sample => ({ situation, action });

/** Situations that say when a memory applies, in words that are known at that moment. */
export const GOOD: readonly Sample[] = [
  sample('When regenerating the API client after a schema change', 'Change the template, then run make client'),
  sample('Before pushing to a shared branch', 'Run make check'),
  sample('While a database migration runs in production', 'Leave the connection pool alone'),
  sample('About to delete a column that old clients may still read', 'Stop writing it one release earlier'),
  sample('Adding a dependency to the command line tool', 'Measure the start-up time before and after'),
  sample('When writing an integration test that waits for a queue', 'Poll the assertion with a deadline'),
  sample('After changing the Dockerfile of the worker', 'Build the image without the cache once'),
  sample('When a user asks for a summary of a long log', 'Quote the first error line'),
  sample('When choosing a time zone for a scheduled job', 'Store UTC and convert at the edge'),
  sample('Renaming a public function of the library', 'Keep the old name for one release'),
  sample('During code review of changes to authentication', 'Look at the tests for expired tokens'),
  sample('When the continuous integration build is red on main', 'Repair it before any other work'),
  sample('Before running a script that writes to the billing database', 'Take a dump and try it on a copy'),
  sample('When parsing fixed-width records from a bank', 'Count bytes, not characters'),
  sample('While debugging a test that fails only sometimes', 'Run it a hundred times with the same seed'),
  sample('Setting up a new laptop for this repository', 'Use the versions in .tool-versions'),
  sample('When adding an index to a table with many rows', 'Create it concurrently'),
  sample('When a request to a third-party API times out', 'Retry with growing pauses, at most three times'),
  sample('Once the release branch is cut', 'Merge only what the release needs'),
  sample('When logging the payload of a payment request', 'Log the identifier and the status only'),
];

/** Situations that cannot be recognised before it is too late, or that say something else than a situation. */
export const BAD: readonly Sample[] = [
  // Hindsight.
  sample('When the deploy broke because of the missing index', 'Create indexes first'),
  sample('The login page, which turned out to cache tokens', 'Send no-store'),
  sample('When we should have used a transaction in the importer', 'Wrap each file in a transaction'),
  sample('After I fixed the race in the watcher', 'Take the lock before the stat'),
  sample('When the cron job broke the nightly report', 'Run it after the report'),
  // Over-specific.
  sample('When working on issue #4312', 'Keep the old parser'),
  sample('When changing what commit 9fceb02 introduced', 'Keep the flag'),
  sample('When deploying on 2026-03-14', 'Wait for the freeze to end'),
  sample('When Dana asked for the export again', 'Send the CSV, not the spreadsheet'),
  sample('When picking up SHOP-211 for the checkout team', 'Talk to payments first'),
  // Solution inside.
  sample(
    'When you must run make client after a schema change',
    'Change the template, then run make client after a schema change',
  ),
  sample('When setting WAL_AUTOCHECKPOINT to limit the log', 'Set WAL_AUTOCHECKPOINT to 1000'),
  sample('When you poll the assertion with a deadline in a test', 'Poll the assertion with a deadline'),
  sample('When passing --no-verify to git', 'Never pass --no-verify'),
  // Status.
  sample('The migration to the new queue is done', 'Use the new queue'),
  sample('v2 is released', 'Document v2 only'),
  sample('Currently the staging cluster has two nodes', 'Do not drain both'),
  // Neither a moment nor an activity.
  sample('docker, build, cache, ci', 'Build without the cache'),
  sample('Testing', 'Run make check'),
  sample('The orders table', 'Backfill in batches'),
];

/** Written before the rules were tuned, and not looked at while they were. */
export const GOOD_HELD_OUT: readonly Sample[] = [
  sample('When upgrading the major version of a framework', 'Read the migration guide before changing code'),
  sample('Before answering a question about pricing', 'Read the price list in the repository'),
  sample('Writing a commit message for a security correction', 'Leave out how to exploit it'),
  sample('When two services share one database table', 'Change the schema in two steps'),
  sample('While the user is editing the same file', 'Read the file again before each change'),
  sample('About to force-push to a branch that others have pulled', 'Push a new commit instead'),
  sample('When a flaky network makes downloads fail', 'Use the mirror in the office'),
  sample('Converting amounts of money between currencies', 'Use integers of the smallest unit'),
  sample('When the linter complains about generated code', 'Exclude the directory in the configuration'),
  sample('After a rebase that touched the lock file', 'Install again and commit the result'),
  sample('When estimating how long a refactoring takes', 'Name a range, not a number'),
  sample('When adding a feature flag', 'Name an owner and an end date'),
  sample('Before merging a pull request from a fork', 'Run the workflows that need secrets by hand'),
  sample('When translating user interface texts', 'Keep placeholders as they are'),
  sample('Using the production database from a notebook', 'Connect with the read-only role'),
  sample('When a background job processes the same message twice', 'Make the handler idempotent'),
  sample('Whenever a public API gets a new field', 'Make it optional'),
  sample('When compressing images for the web site', 'Keep the originals in storage'),
  sample('Before turning on a new alert', 'Replay it against the last month'),
  sample('As soon as a secret appears in a diff', 'Stop and rotate it'),
];

/** As `GOOD_HELD_OUT`. */
export const BAD_HELD_OUT: readonly Sample[] = [
  sample('The cache, which had to be cleared by hand', 'Clear it in the deploy script'),
  sample('When the rollout failed since somebody forgot the environment variable', 'Check variables at start-up'),
  sample('It turned out that the parser drops comments', 'Edit in place'),
  sample('When the upgrade broke every plugin', 'Pin plugin versions'),
  sample('Fixed the memory leak in the pool', 'Release clients in a finally block'),
  sample('When reviewing PR #88', 'Ask for a test'),
  sample('When Marco wants the numbers on Fridays', 'Send the dashboard link'),
  sample('On March 3rd before noon', 'Avoid deploying'),
  sample('When bisecting from a1b2c3d4e5 to HEAD', 'Skip the vendor commits'),
  sample('When ticket OPS-77 comes up again', 'Raise the limit'),
  sample('When you create the index concurrently on a big table', 'Always create the index concurrently'),
  sample('When calling setRetryBudget for the client', 'Call setRetryBudget with 3'),
  sample('When to keep placeholders as they are', 'Keep placeholders as they are'),
  sample('The refactoring of the billing module is complete', 'Use the new module'),
  sample('As of now the tests run on Node 20', 'Run them on Node 20'),
  sample('Release 3.4 has been merged', 'Branch from main'),
  sample('At the moment we have no staging environment', 'Test locally'),
  sample('api timeout retry backoff client', 'Retry with growing pauses'),
  sample('Deploys', 'Ask in the channel first'),
  sample('Best practice for error handling in the gateway', 'Return problem details'),
];
