import { learnCommand } from '../learn-command.ts';

export const learnFact = learnCommand('fact');
