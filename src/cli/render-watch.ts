import type { SyncStep } from '../sync/report.ts';
import type { WatchEvent } from '../sync/watch-events.ts';
import { phrase } from './phrases.ts';
import { oneLine } from './render.ts';

/** One line for a person; null for what the status line says already. */
export function renderEvent(event: WatchEvent): string | null {
  switch (event.kind) {
    case 'waiting':
      return `${event.holder === null ? 'another process' : oneLine(event.holder)} watches this store; waiting for its end`;
    case 'started':
      return `watching ${event.files} files`;
    case 'synced':
      return event.steps.length > MOST_STEPS
        ? `${event.steps.length} changes taken over`
        : event.steps.map(renderStep).join('; ');
    case 'quarantined':
      return `not usable: ${oneLine(event.path)}: ${oneLine(event.message)}`;
    case 'released':
      return `usable again, or gone: ${oneLine(event.path)}`;
    case 'mode':
      return event.mode === 'degraded' ? `degraded (${oneLine(event.reason)}): looking every few seconds` : null;
    case 'rearmed':
      return `watching anew: ${event.reason}`;
    case 'reopened':
      return 'the database was replaced; opened the new one';
    case 'looping':
      return `${oneLine(event.name)}: something changes its file back each time; not written for 10 minutes`;
    case 'config':
      return 'the configuration has changed; a restart applies it';
    case 'failed':
      return `${oneLine(event.message)}; trying again`;
    case 'stopped':
      return 'stopped';
  }
}

const MOST_STEPS = 3;

function renderStep({ name, action, reason }: SyncStep): string {
  return `${action} ${oneLine(name)} (${phrase(reason)})`;
}

/** What the status line says from this event on; null: the same as before. */
export function statusAfter(event: WatchEvent): string | null {
  if (event.kind === 'waiting') return 'waiting';
  if (event.kind === 'mode') return event.mode;
  return event.kind === 'stopped' ? '' : null;
}
