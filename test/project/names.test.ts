import { describe, expect, it, test } from 'vitest';
import type { ProjectBinding } from '../../src/project/bindings.ts';
import { freeName, inProject, parseOrigin, projectName } from '../../src/project/names.ts';

it.each([
  ['  Shop API ', 'shop-api'],
  ['shop_api.v2', 'shop_api.v2'],
  ['a//b', 'a-b'],
  ['Straße', 'stra-e'],
  ['Ärger', 'rger'],
  ['(shop)', 'shop'],
  ['---', null],
  ['日本', null],
  ['..', null],
  ['   ', null],
])('the project name of %j is %j', (text, name) => expect(projectName(text)).toBe(name));

describe('the address of a remote', () => {
  it.each([
    'https://github.com/Acme/API.git',
    'https://dana:secret@github.com/acme/api',
    'git@github.com:acme/api.git',
    'ssh://git@github.com:22/acme/api.git/',
    'git://github.com/acme/api/',
  ])('%s is github.com/acme/api, without credentials', (address) => {
    expect(parseOrigin(address)).toMatchObject({ place: 'github.com/acme/api' });
  });

  it.each([
    ['/srv/git/api.git', { place: '/srv/git/api', repository: 'api', owner: 'git' }],
    ['file:///srv/git/api/.git', { place: '/srv/git/api', repository: 'api', owner: 'git' }],
    ['host:api.git', { place: 'host/api', repository: 'api', owner: null }],
    ['https://gitlab.com/acme/tools/api', { place: 'gitlab.com/acme/tools/api', repository: 'api', owner: 'tools' }],
    ['https://github.com/', null],
    ['', null],
  ])('%s', (address, origin) => expect(parseOrigin(address)).toEqual(origin));
});

describe('a name that is bound already', () => {
  const binding = (project: string, origin: string | null, root: string): ProjectBinding => ({
    gitCommonDir: `${root}/.git`,
    project,
    origin,
    root,
  });
  const api = parseOrigin('git@github.com:acme/api.git');
  const mark = () => 'ab12';
  const named = (bound: ProjectBinding[], origin: typeof api, root = '/home/dana/api') =>
    freeName({ name: 'api', origin, root }, (name) => bound.filter(({ project }) => project === name), mark);

  test('to the same origin stays, also in a second clone', () => {
    expect(named([binding('api', 'github.com/acme/api', '/old/api')], api)).toBe('api');
  });
  test('to another origin becomes <owner>.<name>', () => {
    expect(named([binding('api', 'github.com/other/api', '/old/api')], api)).toBe('acme.api');
  });
  test('as <owner>.<name> too gets a mark of the origin', () => {
    const bound = [binding('api', 'github.com/other/api', '/a'), binding('acme.api', 'gitlab.com/acme/api', '/b')];
    expect(named(bound, api)).toBe('api.ab12');
  });
  test('to another root becomes <name>.<4 hex digits> without an origin', () => {
    expect(named([binding('api', null, '/old/api')], null)).toBe('api.ab12');
    expect(named([binding('api', null, '/home/dana/api')], null)).toBe('api');
  });
  test('to a repository without origin is not taken by one with an origin elsewhere', () => {
    expect(named([binding('api', null, '/old/api')], api)).toBe('acme.api');
  });
});

describe('the project_slug of a memory', () => {
  const scope = { name: 'shop-api', aliases: ['shop'], paths: ['/home/dana/src/shop-api', '/home/dana/src/.my_wt'] };
  it.each([
    ['shop-api', true],
    ['Shop-API', true],
    ['shop', true],
    ['-home-dana-src-shop-api', true],
    ['-home-dana-src--my-wt', true],
    ['-home-dana-src--my_wt', true],
    ['-home-dana-src', false],
    ['-home-dana-src-shop-api-web', false],
    ['home-dana-src-shop-api', false],
    ['api', false],
    ['', false],
  ])('Q28: %j belongs to shop-api: %s', (slug, expected) => expect(inProject(slug, scope)).toBe(expected));

  test('outside every project nothing scoped belongs', () => {
    expect(inProject('shop-api', { name: null, aliases: [], paths: [] })).toBe(false);
  });
});
