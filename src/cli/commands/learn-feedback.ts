import { learnCommand } from '../learn-command.ts';

export const learnFeedback = learnCommand('feedback');
