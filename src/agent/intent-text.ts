/** What an intent announces. */
export interface IntentText {
  readonly situation: string;
  readonly behavior: string;
}

/**
 * The two fields of an intent's text (CH-28): behind the labels `Situation:` and `Behavior:` or `Planned-action:`, in any case;
 * a value runs to the next label. A field without a label is the text before the labels, else the other field; a text
 * without labels is both.
 */
export function parseIntentText(text: string): IntentText {
  const labels = [...text.matchAll(LABEL)].map((found) => ({
    name: (found[1] ?? '').toLowerCase().replace(/[ _]/, '-'),
    from: found.index,
    to: found.index + found[0].length,
  }));
  const value = (name: string): string => {
    const at = labels.findIndex((label) => label.name === name);
    return at === -1 ? '' : trimmed(text.slice(labels[at]?.to, labels[at + 1]?.from));
  };
  const before = trimmed(text.slice(0, labels[0]?.from));
  const situation = value('situation');
  const behavior = value('behavior') || value('behaviour') || value('planned-action');
  return { situation: situation || before || behavior, behavior: behavior || before || situation };
}

/** The value of the first line that begins with one of `labels`, up to its end; null: no such line (AG-44). */
export function labelledLine(text: string, labels: readonly string[]): string | null {
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === -1 || colon > LONGEST_LABEL) continue;
    if (labels.includes(line.slice(0, colon).trim().toLowerCase())) return trimmed(line.slice(colon + 1)) || null;
  }
  return null;
}

const LONGEST_LABEL = 20;
/** At the start of a line, also in bold, or behind the end of a sentence on the same line. */
const LABEL =
  /(?:^|(?<=[.;|] ))[ \t]{0,8}(?:[-*] )?(?:\*\*)?(situation|behaviou?r|planned[- _]action)(?:\*\*)?:(?:\*\*)?/gim;

function trimmed(value: string): string {
  return value.trim();
}
