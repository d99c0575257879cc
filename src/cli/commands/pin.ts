import { pinCommand } from '../pin-command.ts';

export const pin = pinCommand(true);
