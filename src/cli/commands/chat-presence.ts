import type { Presence, PresenceState } from '../../chat/presence.ts';
import { readChatPresence } from '../../chat/read-presence.ts';
import { systemClock } from '../../clock.ts';
import { parseSomeText } from '../chat-options.ts';
import { addChatOptions, type ChatOptions, findChat, leasesOf } from '../chat-place.ts';
import type { CommandDefinition } from '../context.ts';
import { renderTable, type Style } from '../render.ts';
import { oneForeignLine } from '../render-chat.ts';

interface PresenceOptions extends ChatOptions {
  readonly agent?: string;
}

const NOT_ONLINE = 3;

export const chatPresence: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('presence'))
    .description('Show who is there: who wrote within 15 minutes and has not said goodbye')
    .option('--agent <name>', 'this name alone; exit 3 when it is not online')
    .addHelpText('after', '\nExample:\n  $ engram chat presence --agent engram-agent > /dev/null || engram agent run')
    .action(async ({ agent: given, ...options }: PresenceOptions) => {
      const agent = given === undefined ? undefined : parseSomeText('--agent', given);
      const { path } = await findChat(context, options);
      const nowMs = systemClock();
      const { book, cursor } = readChatPresence(path, nowMs, await leasesOf(context, path));
      const agents = agent === undefined ? book.all(nowMs) : [book.of(agent, nowMs)];
      await context.print({ agents, cursor }, (_, style) => renderPresence(agents, nowMs, style));
      if (agent !== undefined && agents[0]?.state !== 'online') context.exitWith(NOT_ONLINE);
    });

function renderPresence(agents: readonly Presence[], nowMs: number, style: Style): string {
  if (agents.length === 0) return 'nobody has written yet\n';
  const rows = agents.map(({ name, state, lastTs, lastType }) => [
    oneForeignLine(name),
    state,
    lastTs === null ? '-' : ago(nowMs - Date.parse(lastTs)),
    lastType === null ? '-' : lastType === '' ? 'untyped' : oneForeignLine(lastType),
  ]);
  const lines = renderTable([['name', 'state', 'last', 'type'], ...rows]).split('\n');
  return lines.map((line, at) => (at === 0 ? style.dim(line) : marked(line, agents[at - 1]?.state, style))).join('\n');
}

function marked(line: string, state: PresenceState | undefined, style: Style): string {
  return state === 'online' ? style.green(line) : line;
}

function ago(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`;
}
