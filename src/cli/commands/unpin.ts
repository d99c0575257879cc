import { pinCommand } from '../pin-command.ts';

export const unpin = pinCommand(false);
