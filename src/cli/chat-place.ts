import type { Command } from 'commander';
import type { ChatPlace } from '../chat/place.ts';
import type { Leases } from '../chat/presence.ts';
import { storedRoots } from '../chat/stored-roots.ts';
import { homeDirectory } from '../config.ts';
import type { CommandContext } from './context.ts';

/** What every chat command takes. */
export interface ChatOptions {
  readonly chatFile?: string;
}

export function addChatOptions(command: Command): Command {
  return command.option('--chat-file <file>', 'the chat file, instead of the one of the project ($ENGRAM_CHAT_FILE)');
}

/** The chat file in force. What a person should hear about the choice goes to stderr. */
export async function findChat(context: CommandContext, options: ChatOptions): Promise<ChatPlace> {
  const [{ chatFile: setting, project, dataDir }, { findChatPlace }, { namedProject }, { tmpdir }] = await Promise.all([
    context.config(),
    import('../chat/place.ts'),
    import('../project/identity.ts'),
    import('node:os'),
  ]);
  const place = await findChatPlace(
    {
      chatFile: namedFile(options.chatFile, setting.value),
      project: project.value === null ? null : namedProject(project.value, project.source ?? 'the project'),
      dataDir: dataDir.value,
      cwd: context.cwd,
      shellCwd: context.environment.PWD ?? null,
      home: homeDirectory(context.environment),
      tempDir: tmpdir(),
    },
    (name) => storedRoots(dataDir.value, name),
  );
  for (const warning of place.warnings) context.note(warning);
  return place;
}

/** The chat file of the agent: what it is told, else that of the project. */
export async function findAgentChat(context: CommandContext, options: ChatOptions): Promise<ChatPlace> {
  const { agentChatFile, chatFile } = await context.config();
  const own = chatFile.value === null ? agentChatFile.value : null;
  return findChat(context, own === null ? options : { chatFile: own, ...options });
}

/** Who holds the lease of the memory agent in that chat, by the database in force (CH-35). */
export async function leasesOf(context: CommandContext, path: string): Promise<Leases> {
  const [{ dataDir }, { chatLeases }] = await Promise.all([context.config(), import('../chat/leases.ts')]);
  return chatLeases(dataDir.value, path);
}

function namedFile(flag: string | undefined, variable: string | null) {
  if (flag !== undefined) return { value: flag, from: 'flag' as const };
  return variable === null ? null : { value: variable, from: 'environment' as const };
}
