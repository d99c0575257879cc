/**
 * Made-up memories for benchmarks: the same seed gives the same texts, on every machine.
 *
 * Word frequencies follow Zipf's law over 20,000 pronounceable words. By default real phrases of engineering work and
 * identifiers are mixed in; with `zipf` the text consists of those words alone.
 */

import { ACTIVITIES, ADVICE, FUNCTION_WORDS, OUTCOMES, PREDICATES, PROJECTS, SOURCES, SUBJECTS } from './phrases.mjs';

const WORD_COUNT = 20_000;
const FIRST_DAY_MS = Date.UTC(2025, 0, 6);
const DAYS = 480;

/**
 * @param {{ seed?: number, zipf?: boolean }} [options]
 * @returns a source whose calls each draw the next texts: `memory(index)` one memory file, `situation(words)` one
 *   situation of that many content words, to ask with
 */
export function createSource({ seed = 1, zipf = false } = {}) {
  const random = createRandom(seed);
  const drawRank = createZipf(random);
  const below = (limit) => Math.floor(random() * limit);
  const pick = (list) => list[below(list.length)];

  const word = () => {
    if (!zipf && random() < 0.3) return pick(FUNCTION_WORDS);
    if (!zipf && random() < 0.05) return identifier();
    return WORDS[drawRank()];
  };
  const words = (count) => Array.from({ length: count }, word).join(' ');
  const identifier = () => {
    const [a, b] = [WORDS[drawRank()], WORDS[drawRank()]];
    const shapes = [`${a}_${b}`, `${a}${capital(b)}`, `${a}-${b}`, `src/${a}/${b}.ts`, `--${a}-${b}`, `${a}.${b}()`];
    return pick(shapes);
  };
  const sentence = (phrases, count) =>
    capital(!zipf && random() < 0.4 ? `${pick(phrases)} ${words(Math.max(2, count - 7))}` : words(count));

  const situation = () =>
    zipf ? `When ${words(10 + below(5))}` : `${capital(pick(ACTIVITIES))} ${words(4 + below(5))}`;

  const texts = (type) =>
    type === 'feedback'
      ? [
          ['behavior', sentence(OUTCOMES, 8 + below(5))],
          ['impact', sentence(OUTCOMES, 9 + below(6))],
          ['action', sentence(ADVICE, 11 + below(7))],
        ]
      : [
          ['subject', zipf ? words(2) : pick(SUBJECTS)],
          ['predicate', zipf ? words(1) : pick(PREDICATES)],
          ['object', sentence(ADVICE, 24 + below(13))],
        ];

  /** Two thirds are feedback. `index` makes the file name unique. */
  const memory = (index) => {
    const type = index % 3 === 2 ? 'fact' : 'feedback';
    const when = situation();
    const scoped = random() < 0.4;
    const createdMs = FIRST_DAY_MS + below(DAYS * 86_400) * 1000;
    const surfaced = Math.floor(random() ** 4 * 60);
    const followed = below(surfaced + 1);
    const notFollowed = below(surfaced - followed + 1);
    const head = [
      'schema_version = 1',
      `type = "${type}"`,
      `source = "${pick(SOURCES)}, ${time(createdMs).slice(0, 10)}"`,
      ...(random() < 0.001 ? ['core = true', 'core_origin = "user"'] : ['core = false']),
      `situation = "${when}"`,
      `project_scoped = ${scoped}`,
      `project_slug = "${scoped || random() < 0.5 ? pick(PROJECTS) : ''}"`,
      `created_at = "${time(createdMs)}"`,
      `updated_at = "${time(createdMs + below(40 * 86_400) * 1000)}"`,
      `surfaced_count = ${surfaced}`,
      `followed_count = ${followed}`,
      `not_followed_count = ${notFollowed}`,
      `irrelevant_count = ${below(surfaced - followed - notFollowed + 1)}`,
      `missed_count = ${random() < 0.1 ? 1 + below(3) : 0}`,
      `initial_confidence = ${pick(['1.0', '1.0', '0.7', '0.4'])}`,
    ];
    const body = texts(type).map(([key, text]) => `${key} = "${text}"`);
    return {
      directory: type === 'feedback' ? 'feedback' : 'facts',
      fileName: `${slugOf(when)}-${index}.toml`,
      text: `${[...head, '', '[content]', ...body].join('\n')}\n`,
    };
  };

  return { memory, situation: (count) => Array.from({ length: count }, () => WORDS[drawRank()]).join(' ') };
}

/** Slug of a generated text: these hold ASCII only, and the number behind it makes it unique. */
function slugOf(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const time = (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** mulberry32: small, quick, and the same everywhere. */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ranks 0 .. WORD_COUNT - 1 with a frequency of 1 / (rank + 1). */
function createZipf(random) {
  const upTo = new Float64Array(WORD_COUNT);
  let total = 0;
  for (let rank = 0; rank < WORD_COUNT; rank++) {
    total += 1 / (rank + 1);
    upTo[rank] = total;
  }
  return () => {
    const wanted = random() * total;
    let [low, high] = [0, WORD_COUNT - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (upTo[middle] > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** The vocabulary does not depend on the seed, so that questions drawn with another seed ask in the same words. */
const WORDS = createVocabulary();

function createVocabulary() {
  const random = createRandom(20_000);
  const pick = (letters) => letters[Math.floor(random() * letters.length)];
  const starts = [
    'b',
    'c',
    'd',
    'f',
    'g',
    'h',
    'k',
    'l',
    'm',
    'n',
    'p',
    'r',
    's',
    't',
    'v',
    'br',
    'cl',
    'dr',
    'fl',
    'gr',
  ];
  const vowels = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou'];
  const ends = ['', '', '', 'l', 'm', 'n', 'r', 's', 't', 'nd', 'rk', 'st'];
  const words = new Set();
  while (words.size < WORD_COUNT) {
    // Frequent words are short, as in a language.
    const syllables = words.size < 400 ? 2 : 2 + Math.floor(random() * 3);
    let word = '';
    for (let n = 0; n < syllables; n++) word += pick(starts) + pick(vowels);
    words.add(word + pick(ends));
  }
  return [...words];
}
