/**
 * How well the built-in rules tell messages that lay down a rule from all others (AG-32, AG-33).
 *
 *   npm run bench -- learning [--data DIR] [--json]
 *
 * DIR/intents/messages.jsonl has one JSON object a line: `id`, `label` (`store`, `draft` or `none`) and `text`, the user's words.
 * It is no part of the project; where it is missing this says so and measures nothing. Printed are ids, never texts. Each message is taken as the answer to a
 * `done` with an intent before it, so that situation and behavior are there.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { correctionFields } from '../../src/agent/correction-fields.ts';
import { readCorrection, userWords } from '../../src/agent/user-words.ts';
import { aligned } from './bars/table.ts';
import { share } from './retrieval/statistics.ts';

const LABELS = ['store', 'draft', 'none'] as const;
type Label = (typeof LABELS)[number];

const INTENT = { situation: 'When changing the service', behavior: 'Change it in one step' };
const STORE_PRECISION = 0.95;
const STORE_RECALL = 0.6;
const MOST_DRAFTED = 0.1;

const DEFAULT_DATA = fileURLToPath(new URL('../../shared/data/retrieval', import.meta.url));

function outcomeOf(text: string): Label {
  const correction = readCorrection(userWords(text) ?? text);
  if (correction === null) return 'none';
  const isFirm = correction.families.some((family) => family === 'lasting' || family === 'rejection');
  return isFirm && correctionFields(correction, INTENT).missing.length === 0 ? 'store' : 'draft';
}

interface Message {
  readonly id: string;
  readonly label: Label;
  readonly text: string;
}

function main(): void {
  const { values } = parseArgs({
    options: { data: { type: 'string', default: DEFAULT_DATA }, json: { type: 'boolean', default: false } },
  });
  const file = join(values.data, 'intents', 'messages.jsonl');
  if (!existsSync(file)) {
    console.log(`no messages in ${file}: nothing is measured (--data DIR names another folder)`);
    return;
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  const messages = lines
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Message)
    .map(({ id, label, text }) => ({ id, label, outcome: outcomeOf(text) }));
  const measurements = measure(messages);
  const wrong = messages.filter(({ label, outcome }) => label !== outcome);
  if (values.json)
    console.log(JSON.stringify({ benchmark: 'learning', node: process.version, measurements, wrong }, null, 1));
  else {
    const rows = measurements.map(({ what, n, value, low, high, bar, passed }) => [
      what,
      String(n),
      value.toFixed(3),
      `${low.toFixed(3)} to ${high.toFixed(3)}`,
      bar,
      passed === null ? '-' : passed ? 'pass' : 'MISSED',
    ]);
    console.log(aligned([['what', 'n', 'share', '95 % interval', 'bar', ''], ...rows]));
    for (const { id, label, outcome } of wrong) console.log(`${id}: ${label}, taken for ${outcome}`);
  }
}

function measure(messages: readonly { readonly label: Label; readonly outcome: Label }[]) {
  const labelled = (label: Label) => messages.filter((each) => each.label === label);
  const stored = messages.filter(({ outcome }) => outcome === 'store');
  const precision = share(stored.map(({ label }) => label === 'store'));
  const recall = share(labelled('store').map(({ outcome }) => outcome === 'store'));
  const bothered = share(labelled('none').map(({ outcome }) => outcome !== 'none'));
  const drafted = share(labelled('draft').map(({ outcome }) => outcome === 'draft'));
  return [
    {
      what: 'store: precision',
      ...precision,
      bar: `>= ${STORE_PRECISION}`,
      passed: precision.value >= STORE_PRECISION,
    },
    { what: 'store: recall', ...recall, bar: `>= ${STORE_RECALL}`, passed: recall.value >= STORE_RECALL },
    { what: 'none: drafted or stored', ...bothered, bar: `<= ${MOST_DRAFTED}`, passed: bothered.value <= MOST_DRAFTED },
    { what: 'draft: drafted', ...drafted, bar: '-', passed: null },
  ];
}

main();
