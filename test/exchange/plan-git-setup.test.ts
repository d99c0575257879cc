import { expect, test } from 'vitest';
import { driverLine, isOwnDriver, ATTRIBUTES_LINE as LINE } from '../../src/exchange/merge-driver.ts';
import { type GitState, planGitSetup, planGitUndo } from '../../src/exchange/plan-git-setup.ts';

const OURS = driverLine({ node: '/usr/bin/node', script: '/opt/engram/dist/engram.cjs' });
const MOVED = driverLine({ node: '/usr/bin/node', script: '/home/dana/engram.cjs' });

const state = (
  attributes: string | null,
  local: string | null = null,
  elsewhere: readonly string[] = [],
): GitState => ({
  attributes,
  localDriver: local,
  drivers: [
    ...elsewhere.map((line) => ({ line, origin: '/home/dana/.gitconfig' })),
    ...(local === null ? [] : [{ line: local, origin: '.git/config' }]),
  ],
});

test.each([
  ['no file', null, `${LINE}\n`],
  ['an empty file', '', `${LINE}\n`],
  ['lines of others', '*.png binary\n', `*.png binary\n${LINE}\n`],
  ['no last line end', '*.png binary', `*.png binary\n${LINE}`],
  ['CRLF', '*.png binary\r\n*.txt text\r\n', `*.png binary\r\n*.txt text\r\n${LINE}\r\n`],
])('SY-46: the line is added to %s, and taken away again without a trace', (_, before, after) => {
  const added = planGitSetup(state(before), OURS);
  expect(added).toEqual({ kind: 'changes', attributes: { change: 'added', text: after }, driver: 'set' });
  const again = planGitSetup(state(after, OURS), OURS);
  expect(again).toMatchObject({ attributes: { change: 'unchanged', text: after }, driver: 'unchanged' });
  expect(planGitUndo(state(after, OURS))).toEqual({
    kind: 'changes',
    attributes: { change: 'removed', text: before === '' ? null : before },
    driver: 'removed',
  });
});

test('SY-46: a driver of an engram that moved is replaced', () => {
  expect(planGitSetup(state(`${LINE}\n`, MOVED), OURS)).toMatchObject({ driver: 'replaced' });
  expect(planGitUndo(state(`${LINE}\n`, MOVED))).toMatchObject({ driver: 'removed' });
});

test('SY-46: nothing to undo is nothing', () => {
  expect(planGitUndo(state('*.png binary\n'))).toEqual({
    kind: 'changes',
    attributes: { change: 'unchanged', text: '*.png binary\n' },
    driver: 'unchanged',
  });
});

test('SY-46: a driver of somebody else keeps its name, wherever it is configured', () => {
  const theirs = 'engram-merge %O %A %B';
  const taken = { kind: 'taken', line: theirs };
  expect(planGitSetup(state(null, theirs), OURS)).toMatchObject(taken);
  expect(planGitSetup(state(null, null, [theirs]), OURS)).toMatchObject({ ...taken, origin: '/home/dana/.gitconfig' });
  expect(planGitUndo(state(`${LINE}\n`, theirs))).toMatchObject(taken);
  expect(planGitUndo(state(`${LINE}\n`, null, [theirs]))).toMatchObject(taken);
  expect(planGitUndo(state(`${LINE}\n`, OURS, [theirs]))).toMatchObject({ driver: 'removed' });
});

test('SY-46: paths in the driver are words of the shell, and no placeholders of git', () => {
  const line = driverLine({ node: '/opt/100%O/node', script: "/home/o'neill/engram.cjs" });
  expect(line).toContain(`'/opt/100%%O/node' '/home/o'\\''neill/engram.cjs' merge-file`);
  expect(isOwnDriver(line)).toBe(true);
  expect(line).not.toContain('union');
});
