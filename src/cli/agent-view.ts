import type { AgentEvent } from '../agent/options.ts';
import type { CommandContext } from './context.ts';
import { write } from './output.ts';
import { renderDamage } from './render-chat.ts';

/** Shows what the agent does: a line for a person, with `--json` one object a line. */
export function showAgent(context: CommandContext): (event: AgentEvent) => void {
  return (event) => {
    if (context.json) write('stdout', `${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`);
    else context.note(line(event));
  };
}

function line(event: AgentEvent): string {
  switch (event.kind) {
    case 'ready':
      return `ready, from cursor ${event.cursor} on`;
    case 'damage':
      return renderDamage(event.range);
    case 'failed':
      return `${event.what}: ${event.message}`;
    case 'stopped':
      return 'stopped';
  }
}
