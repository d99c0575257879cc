import type { Command } from 'commander';
import { EngramError } from '../errors.ts';
import { CONTENT_KEYS, type MemoryType } from '../memory/record.ts';
import { nearest } from '../suggest.ts';
import type { CommandContext } from './context.ts';

/** Fields of a memory as the command line gives them, by option or as one JSON object on stdin. */
export interface GivenFields {
  readonly situation?: string;
  readonly behavior?: string;
  readonly impact?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly predicate?: string;
  readonly object?: string;
  readonly source?: string;
  readonly confidence?: number;
  readonly everywhere?: boolean;
  /** `edit` only. */
  readonly scoped?: boolean;
}

const TEXT_FIELDS = ['situation', ...CONTENT_KEYS, 'source'] as const;
const FIELDS = [...TEXT_FIELDS, 'confidence', 'everywhere'] as const;
type Field = (typeof FIELDS)[number] | 'scoped';

const MEANINGS = {
  situation: 'when the memory applies: the moment or activity, e.g. "When adding a column"',
  behavior: 'what was done',
  impact: 'what that led to',
  action: 'what to do instead',
  subject: 'what the fact is about',
  predicate: 'how subject and object belong together, e.g. "test command"',
  object: 'what is the case',
  source: 'where it comes from, e.g. "user correction"',
} as const;

/** Adds the options of the fields that `types` have. */
export function addFieldOptions(command: Command, types: readonly MemoryType[]): Command {
  const others = types.includes('feedback')
    ? types.includes('fact')
      ? []
      : ['subject', 'predicate', 'object']
    : ['behavior', 'impact', 'action'];
  for (const field of TEXT_FIELDS) {
    if (!others.includes(field)) command.option(`--${field} <text>`, MEANINGS[field]);
  }
  return command
    .option('--confidence <number>', 'what its origin is worth, 0 to 1')
    .option('--everywhere', 'applies in every project');
}

/**
 * The fields that options give; with no text among them, those of a JSON object on stdin as well.
 *
 * @param stdin - null where stdin is not to be read
 * @param more - fields besides those of every memory
 * @throws EngramError `usage` for anything that is no field of a memory, and where a person sits at stdin
 */
export async function givenFields(
  options: Readonly<Record<string, unknown>>,
  stdin: Pick<CommandContext, 'input' | 'isInputTerminal'> | null,
  more: readonly 'scoped'[] = [],
): Promise<GivenFields> {
  const fields = [...FIELDS, ...more];
  const given: Record<string, unknown> = {};
  for (const field of fields) if (options[field] !== undefined) given[field] = options[field];
  const isComplete = stdin === null || Object.keys(given).some((field) => !isFlag(field));
  return checked(isComplete ? given : { ...(await readObject(stdin)), ...given }, fields);
}

async function readObject(stdin: Pick<CommandContext, 'input' | 'isInputTerminal'>): Promise<Record<string, unknown>> {
  if (await stdin.isInputTerminal()) {
    throw new EngramError('usage', 'no fields are given', {
      hint: 'Give them as options, e.g. --situation TEXT, or as one JSON object on stdin.',
    });
  }
  return parseObject(await stdin.input());
}

function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new EngramError('usage', 'stdin is not JSON', { hint: 'Give one object, or use the options.', cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EngramError('usage', 'stdin must be one JSON object', {
      hint: '{"situation":"When ...","action":"..."}',
    });
  }
  return { ...value };
}

function checked(object: Readonly<Record<string, unknown>>, known: readonly Field[]): GivenFields {
  const fields: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(object)) {
    const field = known.find((candidate) => candidate === key);
    if (field === undefined) throw unknownField(key, known);
    if (field === 'confidence') fields[field] = asConfidence(value);
    else if (isFlag(field)) fields[field] = asFlag(field, value);
    else if (typeof value === 'string') fields[field] = value;
    else throw new EngramError('usage', `${key} must be a text`, { hint: `In JSON: {"${key}":"..."}` });
  }
  return fields;
}

function isFlag(field: string): boolean {
  return field === 'everywhere' || field === 'scoped';
}

function unknownField(key: string, known: readonly Field[]): EngramError {
  const suggestion = nearest(key, known);
  return new EngramError('usage', `unknown field ${JSON.stringify(key)}`, {
    hint: suggestion === null ? `Fields are ${known.join(', ')}.` : `Did you mean ${suggestion}?`,
  });
}

function asConfidence(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && number >= 0 && number <= 1) return number;
  throw new EngramError('usage', `confidence must be a number from 0 to 1, not ${JSON.stringify(value)}`, {
    hint: 'For example 0.7.',
  });
}

function asFlag(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new EngramError('usage', `${field} must be true or false`, { hint: `In JSON: {"${field}":true}` });
}
