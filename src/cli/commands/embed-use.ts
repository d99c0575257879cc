import { type ConfigChanges, editConfig } from '../../config-edit.ts';
import type { EmbeddingStatus } from '../../search/embedding-status.ts';
import type { CommandDefinition } from '../context.ts';
import { type EmbedUseOptions, settingsToUse } from '../embed-use-settings.ts';
import { oneLine } from '../render.ts';

interface EmbedUseReport {
  readonly file: string;
  /** Whether the file said something else before. */
  readonly changed: boolean;
  readonly model: EmbeddingStatus['model'];
  /** The other machine that texts go to; null for none. */
  readonly sendsTo: string | null;
  /** The model whose vectors are dropped by `embed apply`; null for none. */
  readonly drops: string | null;
  /** Memories that `embed apply` embeds. */
  readonly toEmbed: number;
  /** Variables that win over what was written. */
  readonly overriddenBy: readonly string[];
}

export const embedUse: CommandDefinition = (parent, context) =>
  parent
    .command('use')
    .description('Choose the model: that of the package, or one on a server that speaks /v1/embeddings')
    .argument('<provider>', 'built-in, openai (Ollama, llama.cpp, LM Studio, OpenAI ...), or none: words alone')
    .option('--url <url>', 'where the server is, with or without /v1')
    .option('--model <name>', 'what the server calls the model')
    .option('--api-key-env <name>', 'the environment variable that holds the key; never the key itself')
    .option('--allow-remote', 'the server may be another machine, which gets the texts of all memories and questions')
    .option('--allow-http', 'and may get them unencrypted')
    .option('--query-prefix <text>', 'what the model wants before a question; known for well-known models')
    .option('--document-prefix <text>', 'what the model wants before a memory')
    .option('--dims <n>', "ask for vectors of so many values, not the model's own number")
    .option('--timeout-ms <n>', 'how long a question waits for the server, 50 to 60000')
    .addHelpText(
      'after',
      `
The provider has to answer, then config.toml is changed; its comments stay. Address and model are kept where they are not
given; everything else is set anew with an address, and the prefixes with a model.

Examples:
  $ engram embed use openai --url http://localhost:11434 --model nomic-embed-text
  $ OPENAI_API_KEY=... engram embed use openai --url https://api.openai.com --allow-remote \\
      --model text-embedding-3-small --api-key-env OPENAI_API_KEY
  $ engram embed use built-in`,
    )
    .action(async (provider: string, options: EmbedUseOptions) => {
      const config = await context.config();
      const { settings, changes } = await settingsToUse(provider, options, config, context.environment);
      using engram = await context.engramToRead(settings);
      const model = provider === 'none' ? engram.embedder.identity : await engram.embedder.probe();
      const { isActive, activeModel, missing, failed } = await engram.embedding();
      const changed = await writeChanges(config.file, changes);
      const report: EmbedUseReport = {
        file: config.file,
        changed,
        model,
        sendsTo: settings.provider === 'openai' && settings.allowRemote ? new URL(settings.url).host : null,
        drops: isActive || provider === 'none' ? null : activeModel,
        toEmbed: provider === 'none' ? 0 : missing + failed,
        overriddenBy: overriding(context.environment),
      };
      await context.print(report, renderReport);
      for (const name of report.overriddenBy) context.note(`the variable ${name} is set and wins over config.toml`);
    });

async function writeChanges(file: string, changes: ConfigChanges): Promise<boolean> {
  const { readConfigText, writeConfigText } = await import('../../files/config-file.ts');
  const before = readConfigText(file);
  const after = await editConfig(before, changes);
  if (after === before) return false;
  writeConfigText(file, before, after);
  return true;
}

function overriding(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter((name) => name.startsWith('ENGRAM_EMBED_') && environment[name]);
}

function renderReport({ file, changed, model, sendsTo, drops, toEmbed }: EmbedUseReport): string {
  if (model.provider === 'none') {
    return `using words alone\n  ${changed ? 'written to' : 'as before in'} ${oneLine(file)}\n  vectors that are there stay, unused\n`;
  }
  const place = model.provider === 'openai' ? ` at ${model.revision}` : '';
  const memories = `${toEmbed} ${toEmbed === 1 ? 'memory' : 'memories'}`;
  const lines = [
    `using ${model.model}${place}, ${model.dims} values`,
    `  ${changed ? 'written to' : 'as before in'} ${file}`,
    sendsTo === null ? '' : `  the texts of memories and questions go to ${sendsTo}`,
    drops === null
      ? ''
      : `  the vectors of ${drops} are dropped by the next embed apply or db sync; until then words answer alone`,
    toEmbed === 0 ? '  every memory has its vector' : `  ${memories} to embed`,
  ].filter((line) => line !== '');
  const next = toEmbed === 0 ? [] : ['next: engram embed apply'];
  return [...lines, ...next].map((line) => `${oneLine(line)}\n`).join('');
}
