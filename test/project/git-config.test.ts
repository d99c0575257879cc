import { expect, it } from 'vitest';
import { gitConfigValue } from '../../src/project/git-config.ts';

it.each([
  ['plain', '[remote "origin"]\n\turl = git@host:a/b.git\n', 'git@host:a/b.git'],
  ['on the line of its section', '[remote "origin"] url = x', 'x'],
  ['in another case', '[REMOTE "origin"]\nURL=x', 'x'],
  ['with a comment', '[remote "origin"]\nurl = x ; from the old host', 'x'],
  ['quoted', '[remote "origin"]\nurl = "a b#c" # why', 'a b#c'],
  ['continued', '[remote "origin"]\nurl = a\\\nb', 'ab'],
  ['the first of two', '[remote "origin"]\nurl = a\nurl = b', 'a'],
  ['of another remote only', '[remote "upstream"]\nurl = a', null],
  ['of a remote in another case', '[remote "Origin"]\nurl = a', null],
  ['after the section ended', '[remote "origin"]\nfetch = +refs\n[branch "main"]\nurl = a', null],
  ['commented out', '[remote "origin"]\n# url = a', null],
])('a url %s', (_, text, expected) => expect(gitConfigValue(text, 'remote', 'origin', 'url')).toBe(expected));
