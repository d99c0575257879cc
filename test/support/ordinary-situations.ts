/** Fifty situations of everyday work, to stand around what a test looks for. */
export const ORDINARY_SITUATIONS: readonly string[] = `When adding a column to a table that holds many rows
When writing an integration test that waits for the queue
When rotating the credentials of the payment provider
When renaming a field that mobile clients read
When raising the number of workers of a service
When a pull request mixes refactoring with new behavior
When caching the answers of a slow endpoint
When writing a retry loop around an HTTP call
When parsing dates that users type
When a job has to run once a night
When splitting a large module into smaller ones
When logging inside a hot loop
When choosing a name for a feature flag
When removing an unused dependency
When reading a large file line by line
When sending mail from a request handler
When a test passes alone and fails with others
When moving constants to the configuration
When changing the order of database migrations
When mocking the clock in unit tests
When documenting a public function
When a stack trace shows only generated code
When upgrading the framework to a new major version
When storing money in the database
When comparing floating point numbers
When deleting records that invoices refer to
When paginating a list that changes while it is read
When exporting a report as a spreadsheet
When validating an upload before it is stored
When translating messages for another locale
When two services need the same validation rules
When measuring the latency of an endpoint
When rolling back a failed release
When a container runs out of memory
When opening a connection in a constructor
When sorting names with accents
When the linter complains about a generated file
When squashing commits before a merge
When a webhook is delivered twice
When the disk of the staging machine is full
When writing a shell script that others will run
When adding an index to a live table
When users report a blank page
When a form loses its input on errors
When closing an issue that came back
When estimating the size of a task
When answering a review comment
When a background worker is killed in the middle
When choosing between a library and own code
When setting a timeout for a remote call`.split('\n');
