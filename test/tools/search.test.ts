import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../harness/base/clock.js';
import { loadPrompt } from '../../harness/context/prompts.js';
import { searchTool } from '../../harness/tools/search.js';
import type { ToolResult } from '../../harness/tools/tool.js';
import { FakeClock } from '../support/fake-clock.js';
import { testRoom } from '../support/test-room.js';

/** The ripgrep of this machine; without one only our own engine is tried. */
const RG =
  (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, 'rg'))
    .find(existsSync) ?? null;

let base: string;
let app: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'search-')));
  app = join(base, 'app');
  mkdirSync(app);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, content: string | Buffer = ''): void {
  mkdirSync(dirname(join(app, path)), { recursive: true });
  writeFileSync(join(app, path), content);
}

interface CallOptions {
  rg?: string | null;
  clock?: Clock;
  signal?: AbortSignal;
  room?: ReturnType<typeof testRoom>['room'];
}

/** Runs a call as the session does: only what passes the schema. */
async function call(input: Record<string, unknown>, options: CallOptions = {}): Promise<ToolResult> {
  const { rg = null, signal = new AbortController().signal, ...more } = options;
  const tool = searchTool({ appRoot: app, description: 'finds', rg, ...more });
  const validate = new Ajv({ strict: true }).compile(tool.schema);
  if (!validate(input)) throw new Error(JSON.stringify(validate.errors));
  const result = await tool.run(input, signal);
  expect(result.text.trim()).not.toBe('');
  expect(result.text.length).toBeLessThanOrEqual(12_000);
  return result;
}

const ENGINES = [
  { name: 'our own engine', rg: null, there: true },
  { name: 'ripgrep', rg: RG, there: RG !== null },
];

describe.each(ENGINES.filter(({ there }) => there))('with $name', ({ rg }) => {
  const run = (input: Record<string, unknown>) => call(input, { rg });
  /** The lines of an answer without its head. */
  const lines = async (input: Record<string, unknown>) => (await run(input)).text.split('\n').slice(1);
  /** The files that an answer names. */
  const files = async (input: Record<string, unknown>) =>
    (await lines({ mode: 'files', ...input })).map(line => line.replace(/ \(\d+ lines?\)$/, ''));

  describe('a search', () => {
    it('answers with path, line and text, sorted by path', async () => {
      put('src/b.ts', 'const one = 1;\nconst two = one;\n');
      put('src/a.ts', 'import one\n');
      put('README.md', 'none here\n');
      const { text, isError } = await run({ pattern: '\\bone\\b' });
      expect(isError).toBeUndefined();
      expect(text).toBe(
        [
          `3 matching lines in 2 files; paths are relative to ${app}`,
          'src/a.ts:1:import one',
          'src/b.ts:1:const one = 1;',
          'src/b.ts:2:const two = one;',
        ].join('\n'),
      );
    });

    it('says so when nothing matches, and where it looked', async () => {
      put('a.ts', 'x\n');
      const { text, isError } = await run({ pattern: 'missing' });
      expect(isError).toBeUndefined();
      expect(text).toBe(`No line matches in 1 file below ${app}.`);
    });

    it('counts the case unless it is told not to', async () => {
      put('a.ts', 'Note\nnote\nÜBER\n');
      expect(await lines({ pattern: 'note' })).toEqual(['a.ts:2:note']);
      expect(await lines({ pattern: 'note', ignoreCase: true })).toEqual(['a.ts:1:Note', 'a.ts:2:note']);
      expect(await lines({ pattern: 'über', ignoreCase: true })).toEqual(['a.ts:3:ÜBER']);
    });

    it('shows lines of context, and a gap where lines are left out', async () => {
      put('a.ts', '1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n');
      expect(await lines({ pattern: 'hit', context: 1 })).toEqual([
        'a.ts-2-2',
        'a.ts:3:hit',
        'a.ts-4-4',
        '--',
        'a.ts-7-7',
        'a.ts:8:hit',
        'a.ts:9:hit',
        'a.ts-10-10',
      ]);
    });

    it('lists files with their counts', async () => {
      put('a.ts', 'x\nx\n');
      put('b.ts', 'x\n');
      expect(await lines({ pattern: 'x', mode: 'files' })).toEqual(['a.ts (2 lines)', 'b.ts (1 line)']);
    });

    it.each([
      ['an empty file', '', []],
      ['a last line without an end', 'a\nhit', ['f.txt:2:hit']],
      ['CRLF', 'a\r\nhit\r\n', ['f.txt:2:hit']],
      ['a byte order mark', '\uFEFFhit\n', ['f.txt:1:hit']],
      ['UTF-16 with its mark', Buffer.from('\uFEFFhit\n', 'utf16le'), ['f.txt:1:hit']],
      ['Latin-1', Buffer.from('caf\xe9\nhit\n', 'latin1'), ['f.txt:2:hit']],
      ['a tab and other scripts', '\tдом hit 家 🚀\n', []],
    ])('reads %s', async (_, content, expected) => {
      put('f.txt', content);
      const { text } = await run({ pattern: '^hit$' });
      expect(text.split('\n').slice(1)).toEqual(expected);
    });

    it('passes over binary files', async () => {
      put('a.png', Buffer.concat([Buffer.from('\x89PNG\r\n'), Buffer.from([0, 1]), Buffer.from('\nhit\n')]));
      put('b.ts', 'hit\n');
      expect(await files({ pattern: 'hit' })).toEqual(['b.ts']);
    });

    it('reads a file whose name looks like an option, or like two lines', async () => {
      put('-', 'hit\n');
      put('--pre=x', 'hit\n');
      put('a\nb', 'hit\n');
      expect(await lines({ pattern: 'hit' })).toEqual(['-:1:hit', '--pre=x:1:hit', '"a\\nb":1:hit']);
    });

    it('takes a pattern that looks like an option', async () => {
      put('a.sh', 'run --force now\n');
      expect(await lines({ pattern: '--force' })).toEqual(['a.sh:1:run --force now']);
    });
  });

  describe('which files', () => {
    it('leaves out what .gitignore names, node_modules, .git and links', async () => {
      put('.gitignore', 'dist/\n*.log\n!keep.log\n');
      for (const path of [
        'a.ts',
        '.env',
        'dist/a.js',
        'x.log',
        'keep.log',
        'node_modules/m/i.js',
        'sub/node_modules/m/i.js',
        '.git/config',
        '.git/longhaul/journal.jsonl',
      ])
        put(path, 'hit\n');
      writeFileSync(join(base, 'secret'), 'hit\n');
      symlinkSync(join(base, 'secret'), join(app, 'link'));
      symlinkSync(base, join(app, 'up'));
      expect(await files({ pattern: 'hit' })).toEqual(['.env', 'a.ts', 'keep.log']);
    });

    it('searches a left-out folder whole when path leads into it', async () => {
      put('.gitignore', 'dist\n');
      put('dist/deep/a.js', 'hit\n');
      put('node_modules/m/node_modules/n/i.js', 'hit\n');
      put('node_modules/m/.gitignore', '*.js\n');
      expect(await files({ pattern: 'hit', path: 'dist' })).toEqual(['dist/deep/a.js']);
      expect(await files({ pattern: 'hit', path: 'dist/deep' })).toEqual(['dist/deep/a.js']);
      expect(await files({ pattern: 'hit', path: 'node_modules' })).toEqual([
        'node_modules/m/node_modules/n/i.js',
      ]);
    });

    it('keeps to the folder or the file of path', async () => {
      put('src/a.ts', 'hit\n');
      put('src2/a.ts', 'hit\n');
      expect(await files({ pattern: 'hit', path: 'src' })).toEqual(['src/a.ts']);
      expect(await files({ pattern: 'hit', path: join(app, 'src2/a.ts') })).toEqual(['src2/a.ts']);
    });

    it('keeps to the glob, whether it is meant from the app or from path', async () => {
      for (const path of ['a.ts', 'a.tsx', 'src/b.ts', 'src/b.spec.ts', 'src/ui/c.tsx', 'c.css'])
        put(path, 'hit\n');
      expect(await files({ pattern: 'hit', glob: '*.ts' })).toEqual(['a.ts', 'src/b.spec.ts', 'src/b.ts']);
      expect(await files({ pattern: 'hit', glob: '*.{tsx,css}' })).toEqual([
        'a.tsx',
        'c.css',
        'src/ui/c.tsx',
      ]);
      expect(await files({ pattern: 'hit', glob: 'src/**/*.tsx' })).toEqual(['src/ui/c.tsx']);
      expect(await files({ pattern: 'hit', glob: 'ui/*', path: 'src' })).toEqual(['src/ui/c.tsx']);
      expect(await files({ pattern: 'hit', glob: '!*.ts*' })).toEqual(['c.css']);
      expect(await files({ pattern: 'hit', glob: 'src/' })).toEqual([
        'src/b.spec.ts',
        'src/b.ts',
        'src/ui/c.tsx',
      ]);
    });

    it('says so when no file fits', async () => {
      put('a.ts', 'hit\n');
      const { text } = await run({ pattern: 'hit', glob: '*.vue' });
      expect(text).toContain('fits the glob *.vue');
      expect(text).toContain('node_modules');
    });

    it('names files that are too large', async () => {
      put('big.sql', Buffer.alloc(4 * 1024 * 1024 + 1, 'hit\n'));
      put('a.ts', 'hit\n');
      const { text } = await run({ pattern: 'hit' });
      expect(text).toContain('a.ts:1:hit');
      expect(text).toMatch(/Larger than 4 MB and not searched: big\.sql/);
    });
  });

  describe('an answer', () => {
    it('has at most limit lines, and says how many more there are, where, and how to narrow', async () => {
      put('a.ts', 'hit\n'.repeat(5));
      put('b.json', 'hit\n'.repeat(1_500));
      const { text } = await run({ pattern: 'hit', limit: 7 });
      expect(text.split('\n').filter(line => /^[ab]\..*:hit$/.test(line))).toHaveLength(7);
      expect(text).toContain('1,505 matching lines in 2 files');
      expect(text).toContain('1,498 more matching lines not shown, most in b.json (1498)');
      expect(text).toMatch(/path, glob/);
    });

    it('has 100 lines when nobody says otherwise', async () => {
      put('a.ts', 'hit\n'.repeat(150));
      expect((await lines({ pattern: 'hit' })).filter(line => line.endsWith(':hit'))).toHaveLength(100);
    });

    it('has at most 12,000 characters and counts what they have no room for', async () => {
      put('a.ts', `hit ${'x'.repeat(200)}\n`.repeat(900));
      const { text } = await run({ pattern: 'hit', limit: 1_000 });
      const shown = text.split('\n').filter(line => line.startsWith('a.ts:')).length;
      expect(shown).toBeGreaterThan(40);
      expect(text).toContain(`${900 - shown} more matching lines not shown`);
    });

    it('cuts a long line around its match, between characters', async () => {
      put('min.js', `${'🚀'.repeat(20_000)}needle${'é'.repeat(20_000)}\n`);
      const [line = ''] = await lines({ pattern: 'needle' });
      expect(line).toContain('needle');
      expect(line).toMatch(/^min\.js:1:\[39920 characters\]…/);
      expect(line).toMatch(/…\[\d+ characters\]$/);
      expect(line.length).toBeLessThan(420);
      expect(line.isWellFormed()).toBe(true);
    });

    it('shows no control characters', async () => {
      put('a.log', '\x1b[31mhit\x1b[0m\n');
      expect(await lines({ pattern: 'hit' })).toEqual(['a.log:1:·[31mhit·[0m']);
    });

    it('stops counting at some point', async () => {
      for (const name of ['a', 'b', 'c']) put(`${name}.txt`, 'hit\n'.repeat(6_000));
      const { text } = await run({ pattern: 'hit', mode: 'files' });
      expect(text).toContain('12,000 matching lines so far in 2 files');
      expect(text).toContain('matches too much');
    });

    it('is the same whatever the number of files', async () => {
      for (let n = 0; n < 1_300; n++)
        put(`${'long-folder-name/'.repeat(5)}f${String(n).padStart(4, '0')}.ts`, 'x\n');
      put('z-last.ts', 'hit\n');
      put('a.ts', 'hit\n');
      const found = await files({ pattern: 'hit' });
      expect(found).toEqual(['a.ts', 'z-last.ts']);
    });
  });

  describe('a pattern', () => {
    beforeEach(() => {
      put(
        'a.ts',
        [
          'interface Tool {',
          'function call(a, b) {',
          'const list = [1, 2];',
          "import x from 'y';",
          '  indented',
          'aaa-b.c',
          'price: $5',
        ].join('\n'),
      );
    });
    it.each([
      ['interface \\w+ {', [1]],
      ['call\\(', [2]],
      ['\\[1, 2\\]', [3]],
      ['list|import', [3, 4]],
      ["from '", [4]],
      ['from \\"|from \\\'', [4]],
      ['^\\s+\\S', [5]],
      ['^[[:space:]]+ind', [5]],
      ['a{3}', [6]],
      ['[\\w-.]+b\\.c', [6]],
      ['(?i)INTERFACE', [1]],
      ['(?<=\\$)\\d', [7]],
      ['(a)\\1\\1', [6]],
      ['\\p{Lu}', [1]],
      ['}', []],
      ['{', [1, 2]],
      ['(?P<name>call)', [2]],
    ])('in the manner of grep, ripgrep or JavaScript works: %s', async (pattern, numbers) => {
      const found = await run({ pattern });
      expect(found.isError, found.text).toBeUndefined();
      const shown = [...found.text.matchAll(/^a\.ts:(\d+):/gm)].map(match => Number(match[1]));
      expect(shown).toEqual(numbers);
    });

    it.each([
      ['foo(bar', 'this ( is never closed (character 4)'],
      ['a|b)', 'there is no ( for this ) (character 4)'],
      ['x[a-', 'this [ is never closed (character 2)'],
      ['*.ts', 'there is nothing that * could repeat (character 1)'],
      ['a\\', 'nothing follows the backslash (character 2)'],
      ['ab\\n', 'a search goes line by line'],
      ['\\y', '\\y has no meaning (character 1)'],
      ['x{3,1}', 'out of order (character 2)'],
      ['[z-a]', 'out of order'],
    ])('that is none is an error that says where: %s', async (pattern, words) => {
      const { text, isError } = await run({ pattern });
      expect(isError).toBe(true);
      expect(text).toContain(words);
    });

    it.each([
      ['', /empty.*"mode": "files"/],
      ['a\nb', /line break/],
      ['a\0', /NUL/],
    ])('that cannot be meant is an error that says what would work: %j', async (pattern, words) => {
      expect(await run({ pattern })).toEqual({ isError: true, text: expect.stringMatching(words) });
    });
  });

  describe('a path that cannot be searched', () => {
    it.each([
      ['..', /outside the app/],
      ['/etc/passwd', /outside the app/],
      ['up/secret', /outside the app/],
      ['.git/longhaul', /belongs to the harness/],
      ['.git/longhaul/journal.jsonl', /belongs to the harness/],
      ['nowhere', /does not exist.*Leave path out/],
      ['pipe\0', /NUL/],
    ])('is an error that says why: %j', async (path, words) => {
      put('.git/longhaul/journal.jsonl', 'hit\n');
      writeFileSync(join(base, 'secret'), 'hit\n');
      symlinkSync(base, join(app, 'up'));
      expect(await run({ pattern: 'hit', path })).toEqual({
        isError: true,
        text: expect.stringMatching(words),
      });
    });

    it('is told when it is a picture', async () => {
      put('a.png', Buffer.from('89504e470d0a1a0a0000', 'hex'));
      expect((await run({ pattern: 'x', path: 'a.png' })).text).toContain('a PNG image (binary)');
    });

    it('never shows the state of the harness when .git is searched by name', async () => {
      put('.git/config', 'hit\n');
      put('.git/longhaul/journal.jsonl', 'hit\n');
      expect(await files({ pattern: 'hit', path: '.git' })).toEqual(['.git/config']);
    });
  });

  it('stops when the session is interrupted', async () => {
    put('a.ts', 'hit\n');
    const result = await call({ pattern: 'hit' }, { rg, signal: AbortSignal.abort() });
    expect(result).toEqual({ isError: true, text: expect.stringContaining('interrupted') });
  });
});

describe('a pattern that backtracks without end', () => {
  const EVIL = '^(a+)+$';
  const bait = `${'a'.repeat(60)}b\n`;

  it('leaves out the file where it does, and says so', async () => {
    put('bait.txt', bait);
    put('c.txt', 'aaa\n');
    const { text, isError } = await call({ pattern: EVIL });
    expect(isError).toBeUndefined();
    expect(text).toContain('c.txt:1:aaa');
    expect(text).toContain('took too long in it: bait.txt');
  });

  it('is an error after a few such files, and other work went on meanwhile', async () => {
    for (let n = 0; n < 9; n++) put(`f${n}.txt`, bait);
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    const { text, isError } = await call({ pattern: EVIL });
    clearInterval(ticking);
    expect(isError).toBe(true);
    expect(text).toContain('The pattern takes too long');
    expect(ticks).toBeGreaterThan(2);
  });
});

describe('what passes for ripgrep', () => {
  const script = (body: string) => {
    const path = join(base, 'rg');
    writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return path;
  };

  it.each([
    ['is not there', () => join(base, 'missing')],
    ['is another program', () => script('echo hello')],
    ['prints half a line of JSON', () => script(`printf '{"type":'`)],
    ['fails', () => script('exit 2')],
    ['is no program', () => app],
  ])('and %s: we search ourselves', async (_, rg) => {
    put('a.ts', 'hit\n');
    const { text } = await call({ pattern: 'hit' }, { rg: rg() });
    expect(text).toContain('a.ts:1:hit');
  });

  it('and hangs is ended at the deadline', async () => {
    put('a.ts', 'hit\n');
    const rg = script(`echo $$ > ${join(base, 'pid')}\nexec sleep 1000`);
    // Time is over as soon as somebody waits for it.
    const clock = new FakeClock({ jumps: true });
    const patient: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: async (ms, signal) => {
        while (!existsSync(join(base, 'pid'))) await systemClock.sleep(10);
        return clock.sleep(ms, signal);
      },
    };
    const { text } = await call({ pattern: 'hit' }, { rg, clock: patient });
    expect(text).toContain('The time was over');
  });

  it('gets neither configuration nor environment of ours', async () => {
    put('a.ts', 'hit\n');
    const rg = script(`env > ${join(base, 'env')}; echo "$@" > ${join(base, 'args')}; exit 2`);
    await call({ pattern: 'hit' }, { rg });
    expect(readFileSync(join(base, 'env'), 'utf8')).not.toContain('HOME=');
    expect(readFileSync(join(base, 'args'), 'utf8').trim()).toMatch(/--no-config .*-- hit \.\/a\.ts$/);
  });

  it.skipIf(RG === null)('runs in the room when there is one', async () => {
    put('a.ts', 'hit\n');
    const { room } = testRoom();
    expect((await call({ pattern: 'hit' }, { rg: RG, room })).text).toContain('a.ts:1:hit');
    expect(room.processes()).toEqual([]);
  });

  it('and cannot start in the room: we search ourselves', async () => {
    put('a.ts', 'hit\n');
    const { room } = testRoom();
    expect((await call({ pattern: 'hit' }, { rg: join(base, 'missing'), room })).text).toContain(
      'a.ts:1:hit',
    );
  });
});

describe('the tool', () => {
  it('is a read, and its description names every field of its schema', () => {
    const description = loadPrompt('tools/search');
    const tool = searchTool({ appRoot: app, description, rg: null });
    expect(tool.access({ pattern: 'x' })).toBe('read');
    for (const field of ['path', 'glob', 'mode', 'ignoreCase', 'context', 'limit']) {
      expect(Object.keys(tool.schema.properties ?? {})).toContain(field);
      expect(description).toContain(`\`${field}`);
    }
  });
});
