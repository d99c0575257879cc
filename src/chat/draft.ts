import { EngramError } from '../errors.ts';
import { findSecrets, redact } from '../text/secrets.ts';
import { foldedName, isMessageId, recipients } from './message.ts';

/** A message to be posted. Its time and its id come with the writing. */
export interface MessageDraft {
  readonly from: string;
  /** `all`, or names with commas between them. */
  readonly to: string;
  readonly thread: string;
  readonly type: string;
  /** Id of the message it answers. */
  readonly re?: string | null;
  readonly text: string;
}

/** A draft that may be written (CH-16). */
export interface CheckedDraft extends MessageDraft {
  readonly re: string | null;
}

/**
 * Checks what is to be posted, and gives `to` its written form.
 *
 * @param options - `redact`: secrets are replaced by `[redacted:<kind>]`; without it they are refused
 * @throws EngramError `chat.draft` naming the field; `chat.secret` naming kind and line, never the value
 */
export function checkDraft(draft: MessageDraft, options: { readonly redact?: boolean } = {}): CheckedDraft {
  const { from, type, re = null } = draft;
  const thread = draft.thread.trim();
  checkName(from, '--from');
  const to = checkRecipients(draft.to);
  if (thread === '') throw refusal('--thread is empty', 'Name the task, or user-input, lifecycle or heartbeat.');
  if (!ONE_LINE.test(thread) || [...thread].length > LONGEST_THREAD) {
    throw refusal(`--thread is not one line of at most ${LONGEST_THREAD} characters`);
  }
  if (!TYPE.test(type))
    throw refusal(`--type is no type: ${quoted(type)}`, 'For example intent, ack, wait, info or done.');
  if (re !== null && !isMessageId(re)) {
    throw refusal(`--re is no id of a message: ${quoted(re)}`, 'Ids have 16 hex digits; see: engram chat tail --json');
  }
  checkText(draft.text);
  // Who speaks to whom cannot be redacted: the message would be somebody else's.
  for (const [option, value] of [
    ['--from', from],
    ['--to', to],
    ['--type', type],
  ] as const) {
    const [found] = findSecrets(value);
    if (found !== undefined) {
      throw new EngramError('chat.secret', `${option} looks like it holds a secret (${found.kind})`, {
        hint: 'Use the plain name of an agent.',
      });
    }
  }
  const kept = withoutSecrets({ thread, text: draft.text }, options.redact === true);
  return { from, to, type, re, ...kept };
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/;
const TYPE = /^[a-z][a-z0-9-]{0,31}$/;
const ONE_LINE = /^[^\x00-\x1f\x7f\x85\u2028\u2029]*$/;
const LONGEST_THREAD = 120;
const LONGEST_TEXT_BYTES = 1_048_576;

/** Whether a message may be written from, and to, a name; readers are lenient, so that there are others. */
export function isWritableName(name: string): boolean {
  return NAME.test(name) && foldedName(name) !== 'all';
}

function checkName(name: string, option: string): void {
  if (isWritableName(name)) return;
  const hint = 'A name has letters, digits and . _ / -, at most 64, and is not `all`.';
  throw refusal(name === '' ? `${option} is empty` : `${option} is no name of an agent: ${quoted(name)}`, hint);
}

function checkRecipients(to: string): string {
  const names = recipients(to);
  if (names.length === 0) throw refusal('--to is empty', 'Give `all`, or names with commas between them.');
  if (names.some((name) => foldedName(name) === 'all')) {
    if (names.length > 1) throw refusal('--to has `all` beside names');
    return 'all';
  }
  for (const name of names) checkName(name, '--to');
  return names.join(', ');
}

function checkText(text: string): void {
  if (text.trim() === '') throw refusal('the text is empty');
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > LONGEST_TEXT_BYTES) {
    throw refusal(`the text has ${sizeBytes} bytes, at most ${LONGEST_TEXT_BYTES} are posted`, 'Name a file instead.');
  }
}

/** A thread is read by everybody too. */
function withoutSecrets(
  { thread, text }: Pick<MessageDraft, 'thread' | 'text'>,
  mayRedact: boolean,
): Pick<MessageDraft, 'thread' | 'text'> {
  const [inThread] = findSecrets(thread);
  const [inText] = findSecrets(text);
  if (inThread === undefined && inText === undefined) return { thread, text };
  if (!mayRedact) {
    const where = inThread === undefined ? `line ${inText?.line} of the text` : 'the thread';
    throw new EngramError('chat.secret', `${where} looks like it holds a secret (${(inThread ?? inText)?.kind})`, {
      hint: 'Leave it out, or post with --redact.',
    });
  }
  return checkedAgain({ thread: redact(thread), text: redact(text) });
}

/** A mark may be longer than what it replaced. */
function checkedAgain(kept: Pick<MessageDraft, 'thread' | 'text'>): Pick<MessageDraft, 'thread' | 'text'> {
  if ([...kept.thread].length > LONGEST_THREAD) throw refusal('--thread is too long once its secrets are replaced');
  checkText(kept.text);
  return kept;
}

function refusal(message: string, hint?: string): EngramError {
  return new EngramError('chat.draft', message, hint === undefined ? {} : { hint });
}

/** For an error of one line. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
