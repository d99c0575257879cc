import { sha256 } from '../text/sha256.ts';

const MOST_BYTES = 240;
const KEPT_BYTES = 200;

/**
 * Name of the chat file of a project root, without `.toml` (CH-2): every `/` becomes `-`. A shell gets the same with
 * `pwd -P | tr / -`. Above 240 bytes it is cut to 200, at a character, and 8 hex digits of its SHA-256 follow.
 *
 * @param root - real absolute path
 */
export function chatSlug(root: string): string {
  const slug = root.replaceAll('/', '-');
  const bytes = new TextEncoder().encode(slug);
  if (bytes.length <= MOST_BYTES) return slug;
  let end = KEPT_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${new TextDecoder().decode(bytes.subarray(0, end))}-${sha256(slug).slice(0, 8)}`;
}

const MOST_LOOKS = 2000;

/**
 * Directories that exist and have the chat file of `root` as well (CH-6): `/a/b-c` for `/a-b/c`. Found by trying which of
 * the `-` may be a `/`; a path with very many of them is given up.
 *
 * @param root - real absolute path
 * @param isDirectory - whether a real directory, no link, lies at a path
 */
export function directoriesWithSlugOf(root: string, isDirectory: (path: string) => boolean): string[] {
  const parts = root.slice(1).replaceAll('/', '-').split('-');
  const found: string[] = [];
  let looks = 0;
  const descend = (directory: string, from: number): void => {
    for (let end = from + 1; end <= parts.length && looks < MOST_LOOKS; end++) {
      const name = parts.slice(from, end).join('-');
      if (name === '') continue;
      looks += 1;
      const path = `${directory}/${name}`;
      if (!isDirectory(path)) continue;
      if (end < parts.length) descend(path, end);
      else if (path !== root) found.push(path);
    }
  };
  descend('', 0);
  return found;
}
