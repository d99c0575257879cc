import type { MemoryTexts } from '../text/index-text.ts';

/** A query and a memory that have nothing to do with each other. */
export interface UnrelatedPair {
  readonly query: string;
  readonly memory: MemoryTexts;
}

/** Every query stands beside so many memories. */
const SHIFTS = [1, 7, 15, 26];

/** The 128 unrelated pairs of SE-27. Whoever changes them changes the background of every space. */
export function unrelatedPairs(): UnrelatedPair[] {
  return SHIFTS.flatMap((shift) =>
    SUBJECTS.map(([query], at) => {
      const [, situation, action] = SUBJECTS[(at + shift) % SUBJECTS.length] ?? ['', '', ''];
      return { query, memory: { ...NO_TEXTS, situation, action } };
    }),
  );
}

const NO_TEXTS = { behavior: null, impact: null, subject: null, predicate: null, object: null };

/** A query of each subject, and situation and action of a memory on it; no two lines share a subject. */
const SUBJECTS: readonly (readonly [query: string, situation: string, action: string])[] = [
  [
    'add a column to the orders table',
    'When changing a database schema',
    'Write a migration and never edit an old one',
  ],
  [
    'the login button is not centred on mobile',
    'When styling components',
    'Use the design tokens instead of raw pixel values',
  ],
  ['rename this branch and push it', 'Before pushing to a shared branch', 'Rebase onto main and squash fixup commits'],
  [
    'write a unit test for the date parser',
    'When testing code that depends on time',
    'Inject a fake clock rather than sleeping',
  ],
  ['what is the capital of Portugal', 'When asked about geography', 'Answer with the official name of the city'],
  ['book a table for four on Friday evening', 'When reserving restaurants', 'Ask about allergies of the guests first'],
  [
    'why does the container run out of memory',
    'When a pod is killed by the kernel',
    'Compare its limit with the heap size of the runtime',
  ],
  [
    'translate this paragraph into French',
    'When translating marketing copy',
    'Keep product names in their original spelling',
  ],
  ['generate an invoice for the last quarter', 'When computing taxes', 'Round each line item and not only the sum'],
  ['play some jazz music in the kitchen', 'When controlling the speakers', 'Lower the volume after ten at night'],
  [
    'the OAuth token expires too early',
    'When refreshing access tokens',
    'Renew them a minute before the server rejects them',
  ],
  ['summarise the meeting notes', 'When writing minutes', 'List decisions first, then owners and deadlines'],
  [
    'optimise the image loading on the landing page',
    'When serving pictures',
    'Convert them to WebP and set width and height',
  ],
  [
    'how do I cancel my subscription',
    'When a customer wants to leave',
    'Offer a pause of three months before closing the account',
  ],
  [
    'parse a CSV file with quoted fields',
    'When reading tabular exports',
    'Use the streaming reader, some files have millions of rows',
  ],
  ['set an alarm for six in the morning', 'When scheduling reminders', 'Respect the time zone of the phone'],
  [
    'upgrade React to the next major version',
    'When bumping front-end dependencies',
    'Read the changelog and run the codemod',
  ],
  [
    'the robot arm misses the screw',
    'When calibrating the camera',
    'Repeat the checkerboard procedure after each transport',
  ],
  ['explain how photosynthesis works', 'When teaching biology', 'Begin with light and end with sugar'],
  [
    'encrypt the backup before uploading it',
    'When storing secrets',
    'Keep the key in the vault and out of the repository',
  ],
  ['find a cheap flight to Tokyo', 'When planning travel', 'Prefer direct connections with checked luggage'],
  [
    'lint fails with an unused variable',
    'When fixing warnings of the linter',
    'Remove the code instead of disabling the rule',
  ],
  ['draft a polite rejection e-mail', 'When answering applicants', 'Thank them and name one concrete strength'],
  ['the Kafka consumer lags behind', 'When processing event streams', 'Commit offsets only after the batch is stored'],
  ['how many calories are in a banana', 'When tracking nutrition', 'Weigh food raw and in grams'],
  ['draw a bar chart of monthly sales', 'When plotting figures', 'Start the vertical axis at zero and label the units'],
  [
    'compile the firmware for the ARM board',
    'When cross compiling',
    'Point the toolchain at the sysroot of the device',
  ],
  ['train a classifier on imbalanced labels', 'When fitting models', 'Report precision and recall of the rare class'],
  ['replace the tyre of my bicycle', 'When repairing a wheel', 'Inflate the inner tube slightly before mounting it'],
  ['rotate the log files every night', 'When configuring daemons', 'Signal the process so that it reopens its output'],
  [
    'is it going to rain tomorrow',
    'When somebody asks for the weather',
    'Give temperature in Celsius and the chance of showers',
  ],
  [
    'refactor the payment module into smaller classes',
    'When splitting large files',
    'Move one responsibility at a time and keep the API stable',
  ],
];
