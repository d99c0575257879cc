import { Command } from 'commander';
import { version } from '../../package.json';

new Command('engram').version(version).parse();
