import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { globTest, withoutBraces } from '../../harness/tools/search/glob.js';
import { Pace } from '../../harness/tools/search/pace.js';
import { placeOf, selectFiles } from '../../harness/tools/search/select-files.js';
import { gitHost } from '../support/temp-app.js';

describe('a glob', () => {
  it.each([
    ['*.ts', ['a.ts', 'src/a.ts', '.ts'], ['a.tsx', 'a.ts/b']],
    ['src/*.ts', ['src/a.ts'], ['a.ts', 'src/b/a.ts', 'x/src/a.ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/b/c/a.ts'], ['a.ts', 'x/src/a.ts']],
    ['**/test/**', ['test/a', 'x/test/b/c'], ['test', 'tests/a']],
    ['/a.ts', ['a.ts'], ['src/a.ts']],
    ['./a.ts', ['a.ts'], ['src/a.ts']],
    ['a?c', ['abc', 'x/a🚀c'], ['ac', 'abbc']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x', '-x']],
    ['[!a-c]x', ['dx'], ['ax', 'x']],
    ['[]a]x', [']x', 'ax'], ['bx']],
    ['[a', ['[a'], ['a']],
    ['a\\*b', ['a*b'], ['axb']],
    ['*a*b*', ['ab', 'xaxbx', 'aab'], ['ba', 'a']],
    ['**.ts', ['a.ts', 'b/a.ts'], ['a.js']],
    ['', [], ['a', '']],
  ])('%s fits what it should', (glob, fitting, others) => {
    const test = globTest(glob);
    expect(fitting.filter(path => !test(path.split('/')))).toEqual([]);
    expect(others.filter(path => test(path.split('/')))).toEqual([]);
  });

  it('with many stars takes no time', () => {
    const test = globTest(`${'**/*a*'.repeat(12)}b`);
    expect(test(Array.from({ length: 200 }, () => 'a'.repeat(200)))).toBe(false);
  });

  it.each([
    ['*.{ts,tsx}', ['*.ts', '*.tsx']],
    ['{a,b}/{c,d}', ['a/c', 'a/d', 'b/c', 'b/d']],
    ['{a,{b,c}}', ['a', 'b', 'c']],
    ['{a}', ['{a}']],
    ['{a,b', ['{a,b']],
    ['a{,.bak}', ['a', 'a.bak']],
  ])('with braces is written out: %s', (glob, globs) => {
    expect([...new Set(withoutBraces(glob))].sort()).toEqual(globs.sort());
  });

  it('with too many braces is refused', () => {
    expect(withoutBraces('{a,b}'.repeat(50))).toBeNull();
  });
});

describe('what .gitignore leaves out', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'search-files-')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', env: gitHost(root) });

  function put(path: string, content = ''): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }

  const ours = async () =>
    (
      await selectFiles(
        placeOf(root, []),
        () => true,
        new Pace(systemClock, 20_000, new AbortController().signal),
      )
    ).files.sort();
  const gits = () =>
    git('ls-files', '-z', '--others', '--exclude-standard')
      .split('\0')
      .filter(path => path !== '')
      .sort();

  it('is what git leaves out, for any rules in any folder', async () => {
    git('init', '-q');
    for (const path of [
      'a.log',
      'b.ts',
      'x/a.log',
      'x/b.ts',
      'x/y/a.log',
      'x/y/b.ts',
      'build/b.ts',
      'x/build/o.js',
      'x/y/build/[a].js',
      '.env',
      'x/#a',
      'x/!b',
    ])
      put(path, 'x');
    const name = fc.constantFrom(
      'a.log',
      'b.ts',
      'x',
      'y',
      'build',
      '*',
      '*.log',
      '?.ts',
      '[ab].*',
      '[!a]*',
      '**',
      '.env',
      '\\#a',
      '\\!b',
      'b*',
      '\\[a].js',
    );
    const rule = fc
      .tuple(
        fc.constantFrom('', '', '', '!'),
        fc.constantFrom('', '/', '**/'),
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '', '/', ' ', '/**'),
      )
      .map(([sign, start, names, end]) => `${sign}${start}${names.join('/')}${end}`);
    const rules = fc.array(fc.oneof(rule, fc.constantFrom('', '# note', '!')), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rules, rules, async (top, deep) => {
        put('.gitignore', top.join('\n'));
        put('x/.gitignore', deep.join('\n'));
        expect(await ours()).toEqual(gits());
      }),
      { numRuns: 150, seed: 7 },
    );
  });
});
