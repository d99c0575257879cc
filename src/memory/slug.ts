import { EngramError } from '../errors.ts';
import type { MemoryDirectory, MemoryRecord, MemoryType } from './record.ts';

/** File name without `.toml`, in NFC; with the directory the identity of a memory. 1 to 200 bytes, path-safe (SY-25). */
export type Slug = string & { readonly slug: unique symbol };

/** `feedback/<slug>` or `facts/<slug>` (MF-1, SY-1): the key of every table. */
export type MemoryName = string & { readonly memoryName: unique symbol };

const utf8 = new TextEncoder();

/** Whether `text` may be a slug: 1 to 200 bytes, no `/`, `\`, control character or leading dot (SY-25). */
export function isSlug(text: string): text is Slug {
  return /^(?!\.)[^/\\\u0000-\u001f\u007f]+$/.test(text) && utf8.encode(text).length <= 200;
}

/** @throws EngramError `memory.name` when `text` is no slug */
export function parseSlug(text: string): Slug {
  const slug = text.normalize('NFC');
  if (!isSlug(slug)) throw new EngramError('memory.name', `not a memory name: ${JSON.stringify(text)}`);
  return slug;
}

/** The name of the memory `slug` in `directory`. */
export function memoryName(directory: MemoryDirectory, slug: Slug): MemoryName {
  return `${directory}/${slug}` as MemoryName;
}

/** @throws EngramError `memory.name` unless `text` is `feedback/<slug>` or `facts/<slug>` */
export function parseMemoryName(text: string): MemoryName {
  const match = /^(feedback|facts)\/(.*)$/s.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw new EngramError('memory.name', `not a memory name: ${JSON.stringify(text)}`, {
      hint: 'A name is feedback/<slug> or facts/<slug>; engram list shows them.',
    });
  }
  return memoryName(match[1] as MemoryDirectory, parseSlug(match[2]));
}

export function directoryOf(name: MemoryName): MemoryDirectory {
  return name.startsWith('feedback/') ? 'feedback' : 'facts';
}

export function slugOf(name: MemoryName): Slug {
  return name.slice(name.indexOf('/') + 1) as Slug;
}

export function directoryOfType(type: MemoryType): MemoryDirectory {
  return type === 'feedback' ? 'feedback' : 'facts';
}

const MAX_SLUG = 80;
const MIN_CUT = 40;

/**
 * The slug of a text (MF-7): ASCII lower case, runs of anything else become one `-`, cut to 80 at a `-` where at least
 * 40 remain. `suffix` 2, 3 ... counts against the 80.
 */
export function slugify(text: string, suffix = 1): Slug {
  const tail = suffix > 1 ? `-${suffix}` : '';
  const whole = text
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return ((cutSlug(whole, MAX_SLUG - tail.length) || 'memory') + tail) as Slug;
}

type NamingKeys = Pick<MemoryRecord, 'type' | 'situation' | 'subject' | 'predicate' | 'object'>;

/** The slug of a new memory: of its situation, for a fact of subject, predicate and object (MF-7). */
export function recordSlug(record: NamingKeys, suffix = 1): Slug {
  const { type, situation, subject, predicate, object } = record;
  return slugify(type === 'feedback' ? situation : [subject, predicate, object].join('-'), suffix);
}

function cutSlug(slug: string, limit: number): string {
  if (slug.length <= limit) return slug;
  // A cut that falls exactly on a word end keeps the word.
  const at = slug.lastIndexOf('-', limit);
  return slug.slice(0, at >= MIN_CUT ? at : limit).replace(/-+$/, '');
}
