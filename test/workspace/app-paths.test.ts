import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isHarnessState, resolveInside } from '../../harness/workspace/app-paths.js';

let base: string;
let app: string;

/**
 * base/app          the app, with src/deep/file.txt, .git/{config,longhaul/journal.jsonl}, vendor/lib/.git/config
 * base/app-evil     a neighbour whose name begins like the app's
 * base/outside      secret.txt, folder/
 * base/alias        link to the app
 */
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'app-paths-')));
  app = join(base, 'app');
  for (const folder of [
    'app/src/deep',
    'app/.git/longhaul',
    'app/vendor/lib/.git',
    'app-evil',
    'outside/folder',
  ]) {
    mkdirSync(join(base, folder), { recursive: true });
  }
  const files = [
    ...['app/src/deep/file.txt', 'app/.git/config', 'app/.git/longhaul/journal.jsonl'],
    ...['app/vendor/lib/.git/config', 'app/..odd', 'app-evil/x.txt', 'outside/secret.txt'],
  ];
  for (const file of files) writeFileSync(join(base, file), 'text\n');
  const links: [name: string, target: string][] = [
    ['alias', app],
    ['app/inner-folder', 'src'],
    ['app/inner-file', join(app, 'src/deep/file.txt')],
    ['app/src/up', '..'],
    ['app/src/deep/twice', '../../inner-folder/deep'],
    ['app/out', join(base, 'outside')],
    ['app/src/out', '../../outside'],
    ['app/src/deep/out', '../../out'],
    ['app/out-file', join(base, 'outside/secret.txt')],
    ['app/evil', '../app-evil'],
    ['app/dangling-in', 'src/not-yet.txt'],
    ['app/dangling-out', join(base, 'outside/not-yet.txt')],
    ['app/dangling-deep', join(base, 'outside/none/../not-yet.txt')],
    ['app/dangling-chain', 'dangling-out'],
    ['app/loop-a', 'loop-b'],
    ['app/loop-b', 'loop-a'],
    ['app/self', 'self/x'],
    ['app/hooks', '.git/hooks'],
    ['app/state', '.git/longhaul'],
    ['app/root', '/'],
    ['app/proc', '/proc/self/cwd'],
  ];
  for (const [name, target] of links) symlinkSync(target, join(base, name));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const read = (path: string) => resolveInside(app, path, { forWriting: false });
const write = (path: string) => resolveInside(app, path, { forWriting: true });

describe('a path that ends inside the app', () => {
  it.each([
    ['a file', 'src/deep/file.txt', 'src/deep/file.txt'],
    ['a new file', 'src/new.txt', 'src/new.txt'],
    ['a new file in new folders', 'a/b/c.txt', 'a/b/c.txt'],
    ['dots and double slashes', './src//deep/./file.txt', 'src/deep/file.txt'],
    ['up and down again', 'src/deep/../new.txt', 'src/new.txt'],
    ['up from a folder that does not exist', 'none/../new.txt', 'new.txt'],
    ['out of the app and back', '../app/src/new.txt', 'src/new.txt'],
    ['a name that begins with dots', '..odd', '..odd'],
    ['a name that begins like .git', '.gitignore', '.gitignore'],
    ['a folder that begins like .git', '.github/workflows/ci.yml', '.github/workflows/ci.yml'],
    ['a link to a folder', 'inner-folder/deep/file.txt', 'src/deep/file.txt'],
    ['a link to a folder, new file', 'inner-folder/new.txt', 'src/new.txt'],
    ['a link to a file', 'inner-file', 'src/deep/file.txt'],
    ['a link over a link', 'src/deep/twice/file.txt', 'src/deep/file.txt'],
    ['a link upwards', 'src/up/src/up/new.txt', 'new.txt'],
    ['what follows a link upwards', 'inner-folder/../new.txt', 'new.txt'],
    ['a link whose target does not exist yet', 'dangling-in', 'src/not-yet.txt'],
    ['letters of all kinds', 'src/grüße 😀.txt', 'src/grüße 😀.txt'],
  ])('is resolved: %s', (_, path, relative) => {
    const expected = { ok: true, root: app, path: join(app, relative), relative };
    expect(write(path)).toEqual(expected);
    expect(read(path)).toEqual(expected);
    expect(read(`${app}/${path}`)).toEqual(expected);
    expect(write(`${base}/alias/${path}`)).toEqual(expected);
    expect(resolveInside(join(base, 'alias'), path, { forWriting: true })).toEqual(expected);
  });

  it('may be the app itself when read', () => {
    expect(read('.')).toMatchObject({ ok: true, relative: '' });
    expect(read(app)).toMatchObject({ ok: true, relative: '' });
  });
});

describe('a path that ends outside the app', () => {
  it.each([
    ['up', '../outside/secret.txt'],
    ['up from inside', 'src/../../outside/secret.txt'],
    ['the parent', '..'],
    ['a neighbour whose name begins like the app', '../app-evil/x.txt'],
    ['a link to such a neighbour', 'evil/x.txt'],
    ['a link in the first place', 'out/secret.txt'],
    ['a link in the middle', 'src/out/secret.txt'],
    ['a link over a link', 'src/deep/out/secret.txt'],
    ['a link in the last place', 'out-file'],
    ['a new file behind a link', 'out/new.txt'],
    ['a new folder behind a link', 'src/out/a/b/new.txt'],
    ['up from behind a link', 'src/out/../outside/secret.txt'],
    ['a link whose target does not exist', 'dangling-out'],
    ['such a link with a detour', 'dangling-deep'],
    ['a link to such a link', 'dangling-chain'],
    ['below a link whose target does not exist', 'dangling-out/below.txt'],
    ['a link to the root', 'root/etc/passwd'],
    ['a link through proc', 'proc/package.json'],
    ['proc itself', '/proc/self/root/etc/passwd'],
    ['an absolute path', '/etc/passwd'],
    ['an absolute path that does not exist', '/nowhere/at/all'],
    ['the parent, absolute', '/'],
  ])('is refused for reading and writing: %s', (_, path) => {
    for (const result of [read(path), write(path)]) {
      expect(result).toEqual({
        ok: false,
        reason: expect.stringMatching(/outside the app.*Only files inside/),
      });
    }
  });

  it('is refused when absolute with the letters of the app in front', () => {
    expect(read(`${app}-evil/x.txt`)).toMatchObject({ ok: false });
    expect(read(`${app}/../app-evil/x.txt`)).toMatchObject({ ok: false });
  });
});

describe('git directories', () => {
  it.each([
    '.git',
    '.git/config',
    '.git/hooks/pre-commit',
    '.GIT/config',
    '.Git/config',
    'src/../.git/config',
    'hooks/pre-commit',
    'vendor/lib/.git/config',
    'new/.git',
    'new/.git/config',
    '.git./config',
    '.git /config',
    '.g\u200cit/config',
    'GIT~1/config',
    '.git::$INDEX_ALLOCATION/config',
  ])('are not written: %s', path => {
    expect(write(path)).toEqual({ ok: false, reason: expect.stringContaining('git directory') });
    expect(read(path).ok).toBe(true);
  });

  it.each([
    '.git/longhaul',
    '.git/longhaul/journal.jsonl',
    '.GIT/LongHaul/x',
    'state/journal.jsonl',
    'new/.git/longhaul',
  ])('hide the state of the harness: %s', path => {
    for (const result of [read(path), write(path)]) {
      expect(result).toEqual({ ok: false, reason: expect.stringContaining('belongs to the harness') });
    }
  });

  it('are told from names that only look alike', () => {
    expect(isHarnessState('git/longhaul')).toBe(false);
    expect(isHarnessState('.git/longhaul-notes')).toBe(false);
    expect(isHarnessState('docs/longhaul')).toBe(false);
    expect(isHarnessState('a/.git/longhaul/b')).toBe(true);
  });
});

describe('a path that is none', () => {
  it.each([
    ['empty', '', /is empty/],
    ['blank', '  \n', /is empty/],
    ['with NUL', 'src/a\0.txt', /NUL/],
    ['with half a character', 'src/\ud83d.txt', /half of a character/],
    ['with a name too long', `src/${'n'.repeat(256)}`, /too long/],
    ['with a name too long in bytes', `src/${'ü'.repeat(128)}`, /too long/],
    ['too long in all', 'a/'.repeat(2100), /too long/],
    ['with a home', '~/notes.txt', /not expanded/],
    ['in a loop of links', 'loop-a', /loop/],
    ['in a link that leads into itself', 'self', /loop/],
    ['below a file', 'src/deep/file.txt/x', /is a file, not a folder/],
  ])('is refused with the reason: %s', (_, path, reason) => {
    expect(read(path)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
    expect(write(path)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it('names a folder when it ends with a slash, so nothing is written there', () => {
    expect(write('src/new/')).toEqual({ ok: false, reason: expect.stringContaining('names a folder') });
    expect(read('src/')).toMatchObject({ ok: true, relative: 'src' });
  });

  it('is refused when the app is gone', () => {
    expect(resolveInside(join(base, 'gone'), 'x', { forWriting: true })).toMatchObject({ ok: false });
  });
});

it('never leads out, whatever is strung together', () => {
  const names = [
    ...['src', 'deep', 'file.txt', 'out', 'up', 'evil', 'twice', 'inner-folder', 'root', 'proc', 'state'],
    ...[
      'dangling-out',
      'dangling-in',
      'loop-a',
      '..',
      '.',
      '',
      'new',
      '.git',
      'longhaul',
      'app',
      'app-evil',
      'outside',
    ],
  ];
  const path = fc
    .array(fc.constantFrom(...names), { minLength: 1, maxLength: 8 })
    .map(parts => parts.join('/'));
  fc.assert(
    fc.property(path, fc.boolean(), fc.boolean(), (some, absolute, forWriting) => {
      const result = resolveInside(app, absolute ? `${app}/${some}` : some, { forWriting });
      if (!result.ok) return;
      expect(result.path === app || result.path.startsWith(`${app}/`)).toBe(true);
      expect(result.path).not.toContain('/.git/longhaul');
      if (forWriting) expect(result.path).not.toMatch(/\/\.git(\/|$)/);
      // What exists is already free of links.
      expect(realpathIfExists(result.path)).toBe(result.path);
    }),
    { numRuns: 3000 },
  );
});

it('sees a link that was put in place of a folder after an earlier look', () => {
  mkdirSync(join(app, 'swapped'));
  expect(write('swapped/x.txt').ok).toBe(true);
  renameSync(join(app, 'swapped'), join(app, 'swapped.old'));
  symlinkSync(join(base, 'outside'), join(app, 'swapped'));
  expect(write('swapped/x.txt').ok).toBe(false);
});

function realpathIfExists(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
