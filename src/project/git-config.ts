/**
 * The value of `[section "subsection"] key` in a git configuration file, as git reads it: the first of several (git
 * fetches from the first URL), comments and quotes removed, section and key in any case. Null when it is absent.
 * Files named by `include.path` are not read.
 */
export function gitConfigValue(text: string, section: string, subsection: string | null, key: string): string | null {
  let inside = false;
  for (const line of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const header = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    if (header !== null) {
      inside = header[1]?.toLowerCase() === section && (header[2]?.replace(/\\(.)/g, '$1') ?? null) === subsection;
    }
    if (!inside) continue;
    const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/.exec(header?.[3] ?? line);
    if (entry?.[1]?.toLowerCase() === key) return plainValue(entry[2] ?? '');
  }
  return null;
}

function plainValue(raw: string): string {
  let value = '';
  let quoted = false;
  for (const token of raw.match(/\\.|[\s\S]/gu) ?? []) {
    if (token === '"') quoted = !quoted;
    else if (!quoted && (token === '#' || token === ';')) break;
    else value += token.startsWith('\\') ? unescaped(token) : token;
  }
  return value.trimEnd();
}

function unescaped(token: string): string {
  return token === '\\n' ? '\n' : token === '\\t' ? '\t' : token.slice(1);
}
