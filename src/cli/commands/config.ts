import type { Config, ConfigOrigin } from '../../config.ts';
import { unknownVariables } from '../../config-environment.ts';
import { CONFIG_KEYS, type ConfigName } from '../../config-keys.ts';
import { redact } from '../../text/secrets.ts';
import type { CommandDefinition } from '../context.ts';
import { renderTable, type Style } from '../render.ts';

interface ConfigReport {
  readonly file: string;
  readonly fileExists: boolean;
  readonly settings: readonly {
    readonly name: string;
    readonly value: string | number | boolean | readonly string[] | null;
    readonly from: ConfigOrigin;
    /** The flag, variable or file that gave the value; null for a default. */
    readonly source: string | null;
  }[];
  readonly unknownVariables: readonly { readonly name: string; readonly suggestion: string | null }[];
}

export const config: CommandDefinition = (parent, context) =>
  parent
    .command('config')
    .description('Print the settings in force and where each comes from')
    .addHelpText('after', `\n${keysHelp()}\nExample:\n  $ ENGRAM_QUERY_LIMIT=3 engram config`)
    .action(async () => {
      await context.print(configReport(await context.config(), context.environment), renderConfig);
    });

function configReport(config: Config, environment: Readonly<Record<string, string | undefined>>): ConfigReport {
  const names = Object.keys(CONFIG_KEYS) as ConfigName[];
  // A variable that the settings name is ours, whatever it is called.
  const named = new Set<string | null>([
    config.embedApiKeyEnv.value,
    config.judgeApiKeyEnv.value,
    ...config.judgeEnv.value,
  ]);
  return {
    file: config.file,
    fileExists: config.fileExists,
    settings: names.map((name) => ({
      name: settingName(name),
      ...config[name],
      value: shown(name, config[name].value),
    })),
    unknownVariables: unknownVariables(environment).filter(({ name }) => !named.has(name)),
  };
}

/** What is printed lands in logs (D14): an address without whoever it lets in, any text without secrets. */
function shown<T extends Config[ConfigName]['value']>(name: ConfigName, value: T): T | string | readonly string[] {
  if (typeof value === 'string') return redact(ADDRESSES.has(name) ? withoutKeys(value) : value);
  return Array.isArray(value) ? value.map((word: string) => redact(word)) : value;
}

const ADDRESSES: ReadonlySet<ConfigName> = new Set(['embedUrl', 'judgeBaseUrl']);

function withoutKeys(address: string): string {
  return address
    .replace(/\/\/[^/?#]*@/, '//[redacted]@')
    .replace(/([?&;])([^=&;#]*=)?[^&;#]+/g, '$1$2[redacted]')
    .replace(/#.+$/, '#[redacted]');
}

function renderConfig(report: ConfigReport, style: Style): string {
  const rows = report.settings.map(({ name, value, from, source }) => [
    name,
    value === null ? '(not set)' : typeof value === 'object' ? JSON.stringify(value) : String(value),
    source === null ? from : `${from} ${source}`,
  ]);
  const file = `${style.dim(`${report.file}${report.fileExists ? '' : ' (does not exist)'}`)}\n`;
  const unknown = report.unknownVariables.map(
    ({ name, suggestion }) => `unknown variable ${name}${suggestion === null ? '' : `; did you mean ${suggestion}?`}\n`,
  );
  return renderTable(rows) + file + unknown.join('');
}

function keysHelp(): string {
  const rows = Object.values(CONFIG_KEYS).map(({ key, variable, meaning }) => [`  ${key ?? '-'}`, variable, meaning]);
  return `Keys of config.toml, variables, meaning:\n${renderTable(rows)}`;
}

function settingName(name: ConfigName): string {
  return CONFIG_KEYS[name].key ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
