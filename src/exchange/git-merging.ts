import { join } from 'node:path';
import { findRepository, readTextOrNull, realDirectory } from '../project/git.ts';
import { gitConfigValue } from '../project/git-config.ts';
import { DRIVER } from './merge-driver.ts';

/** How git merges memories: no repository holds them, field by field, or line by line for a reason. */
export type GitMerging =
  | { readonly kind: 'no-repository' }
  | { readonly kind: 'by-field' }
  | { readonly kind: 'by-line'; readonly missing: 'attribute' | 'driver' };

/** Looks at the files of git alone and runs no command (SY-46). @param memory - absolute path of the memory directory */
export function gitMerging(memory: string): GitMerging {
  const repository = findRepository(realDirectory(memory), () => false);
  if (repository === null || repository.workTree === null) return { kind: 'no-repository' };
  const attributes = [join(memory, '.gitattributes'), join(repository.workTree, '.gitattributes')];
  const isNamed = attributes.some((path) => NAMED.test(readTextOrNull(path) ?? ''));
  if (!isNamed) return { kind: 'by-line', missing: 'attribute' };
  const config = readTextOrNull(join(repository.commonDir, 'config')) ?? '';
  const driver = gitConfigValue(config, 'merge', DRIVER, 'driver');
  return driver === null ? { kind: 'by-line', missing: 'driver' } : { kind: 'by-field' };
}

const NAMED = new RegExp(`^[^#\\n]*\\smerge=${DRIVER}\\s*$`, 'm');
