/** The name of the merge driver in `.gitattributes` and in the configuration of a repository. */
export const DRIVER = 'engram';

/** Sends every memory below the directory of this `.gitattributes` to the driver. A clone without it merges text. */
export const ATTRIBUTES_LINE = `*.toml merge=${DRIVER}`;

/** What `git config` shows people about the driver. */
export const DRIVER_TITLE = 'memories field by field';

/** A command of the shell that does nothing, by which a line is known as ours. */
const SIGN = ': engram setup git;';

/**
 * What git runs to merge a memory (SY-46). Where engram cannot start, node or package being gone, git merges the file line by
 * line. engram says on stdout how it went, since node ends with 1 as well when it finds no program.
 *
 * @param program - absolute paths of node and of engram's first file
 */
export function driverLine({ node, script }: { readonly node: string; readonly script: string }): string {
  const engram = `${quoted(node)} ${quoted(script)} merge-file --path=%P --marker-size=%L -- %O %A %B`;
  const lines = 'git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B';
  const notice = `echo 'engram could not merge this memory, git does it line by line; if engram moved: engram setup git' >&2`;
  return `${SIGN} case "$(${engram})" in clean) exit 0;; conflict) exit 1;; esac; ${notice}; ${lines} || exit 1`;
}

/** Whether engram wrote this line, be it for another place or in an earlier version. */
export function isOwnDriver(line: string): boolean {
  return line.startsWith(SIGN);
}

/** As one word of the shell; git reads `%%` as `%`. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`;
}
