import { homedir, tmpdir } from 'node:os';
import { namedProject } from '../project/identity.ts';
import { type ChatPlace, findChatPlace } from './place.ts';
import { storedRoots } from './stored-roots.ts';

/**
 * The chat file of the project of `cwd`, or of the project that is named; it need not exist. The functions of the chat
 * take its path.
 *
 * ```ts
 * const { path } = await findChat({ root: '/home/me/.local/share/engram' });
 * const { cursor } = appendMessages(path, [{ from: 'executor', to: 'all', thread: 'schema', type: 'info', text: 'Done.' }]);
 * ```
 *
 * @throws EngramError `chat.place` where no project can be, and for a project of several work trees
 */
export async function findChat({
  root,
  project,
  cwd,
}: {
  readonly root: string;
  readonly project?: string;
  readonly cwd?: string;
}): Promise<ChatPlace> {
  const place = { cwd: cwd ?? process.cwd(), shellCwd: null, home: homedir(), tempDir: tmpdir() };
  const named = project === undefined ? null : namedProject(project, 'project');
  return findChatPlace({ ...place, chatFile: null, project: named, dataDir: root }, (name) => storedRoots(root, name));
}
