import type { WatchEvent } from '../sync/watch-events.ts';
import type { CommandContext } from './context.ts';
import { isTerminal, write } from './output.ts';
import { renderEvent, statusAfter } from './render-watch.ts';

/** Shows the events of a watch: lines with a status line below on a terminal, JSON lines otherwise. */
export interface WatchView extends Disposable {
  show(event: WatchEvent): void;
}

const CLEAR_LINE = '\r\u001b[K';

export async function showWatch({ json }: Pick<CommandContext, 'json'>): Promise<WatchView> {
  if (json || !(await isTerminal('stdout'))) {
    return {
      show: (event) => write('stdout', `${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`),
      [Symbol.dispose]: () => {},
    };
  }
  let status = 'starting';
  const end = () => write('stdout', CLEAR_LINE);
  return {
    show: (event) => {
      const line = renderEvent(event);
      status = statusAfter(event) ?? status;
      const time = new Date().toTimeString().slice(0, 8);
      write('stdout', `${CLEAR_LINE}${line === null ? '' : `${time}  ${line}\n`}${status}`);
    },
    [Symbol.dispose]: end,
  };
}
