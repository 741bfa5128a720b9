import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textEditorTool } from '../../harness/tools/text-editor.js';
import type { ToolResult } from '../../harness/tools/tool.js';

let app: string;
beforeEach(() => {
  app = realpathSync(mkdtempSync(join(tmpdir(), 'text-editor-view-')));
});
afterEach(() => rmSync(app, { recursive: true, force: true }));

function view(path: string, range?: number[]): Promise<ToolResult> {
  const tool = textEditorTool({ appRoot: app, description: 'edits' });
  const input = { command: 'view', path, ...(range && { view_range: range }) };
  return tool.run(input, new AbortController().signal);
}

function put(path: string, content: string | Buffer): void {
  mkdirSync(join(app, path, '..'), { recursive: true });
  writeFileSync(join(app, path), content);
}

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

describe('view of a file', () => {
  it('numbers the lines under a head with path and count', async () => {
    put('a.txt', 'one\n\n\tthree\n');
    expect(await view('a.txt')).toEqual({
      text: `${join(app, 'a.txt')} (3 lines)\n     1\tone\n     2\t\n     3\t\tthree`,
    });
  });

  it.each([
    ['CRLF', 'a\r\nb\r\n', '     1\ta\n     2\tb'],
    ['a byte order mark', '\uFEFFa\n', '     1\ta'],
    ['no newline at the end', 'a', '     1\ta\n[No newline at the end of the file.]'],
    [
      'mixed endings',
      'a\r\nb\n',
      '     1\ta\n     2\tb\n[Some lines end in CRLF, some in LF; edits keep them.]',
    ],
  ])('shows text with %s without what an edit need not know', async (_, content, shown) => {
    put('a.txt', content);
    expect((await view('a.txt')).text.split('\n').slice(1).join('\n')).toBe(shown);
  });

  it('says that an empty file is empty', async () => {
    put('a.txt', '');
    expect((await view('a.txt')).text).toMatch(/a\.txt is empty\./);
    expect(await view('a.txt', [1, 2])).toMatchObject({ isError: true });
  });

  it.each([
    [[2, 3], 2, 3],
    [[4, -1], 4, 5],
    [[1, 1], 1, 1],
    [[4, 99], 4, 5],
  ])('shows the part %j', async (range, first, last) => {
    put('a.txt', `${numbers(5)}\n`);
    const lines = (await view('a.txt', range)).text.split('\n');
    expect(lines[0]).toContain(`(lines ${first}-${last} of 5 lines)`);
    expect(lines.slice(1)).toEqual(
      Array.from({ length: last - first + 1 }, (_, i) => `     ${first + i}\tline ${first + i}`),
    );
  });

  it.each([[[0, 2]], [[6, 7]], [[3, 2]], [[2, -2]], [[-1, 2]]])(
    'refuses the part %j and says how long the file is',
    async range => {
      put('a.txt', numbers(5));
      expect(await view('a.txt', range)).toEqual({
        isError: true,
        text: expect.stringMatching(/has 5 lines/),
      });
    },
  );

  it('cuts a long file at a line and says how to see the rest, until all was seen', async () => {
    const content = numbers(6000);
    put('a.txt', content);
    let range: number[] | undefined;
    let seen = '';
    for (let calls = 0; calls < 20; calls++) {
      const { text } = await view('a.txt', range);
      expect(text.length).toBeLessThan(24_500);
      seen += `${text.match(/^ *\d+\t.*$/gm)?.join('\n')}\n`;
      const next = /"view_range": \[(\d+), (\d+)\] shows the rest/.exec(text);
      if (!next) break;
      range = [Number(next[1]), Number(next[2])];
    }
    expect(seen.replace(/^ *\d+\t/gm, '')).toBe(`${content}\n`);
  });

  it('cuts a long line at a character and says how much is missing', async () => {
    put('a.txt', `${'😀'.repeat(100_000)}\nshort\n`);
    const { text } = await view('a.txt');
    expect(text.length).toBeLessThan(2_500);
    expect(text).toContain('[199000 more characters in this line');
    expect(text).not.toMatch(/\p{Surrogate}|\uFFFD/u);
    expect(text).toContain('     2\tshort');
  });

  it.each([
    ['a PNG image', '89504e470d0a1a0a0000000d'],
    ['a JPEG image', 'ffd8ffe000104a464946'],
    ['a GIF image', '47494638396101000100'],
    ['a WebP image', '524946460000000057454250'],
    ['a ZIP archive', '504b030414000000'],
    ['binary', '7f454c460201010000'],
    ['binary', 'fa01020304fe'],
  ])('names %s with its size', async (what, hex) => {
    put('x', Buffer.from(hex, 'hex'));
    expect(await view('x')).toEqual({
      text: `${join(app, 'x')} is ${what} (binary, ${hex.length / 2} bytes): not shown as text.`,
    });
  });

  it('shows pictures that are text as text', async () => {
    put('logo.svg', '<svg/>\n');
    expect((await view('logo.svg')).text).toContain('     1\t<svg/>');
  });

  it('leaves a huge file to the shell', async () => {
    put('huge', '');
    truncateSync(join(app, 'huge'), 5_000_000_000);
    expect(await view('huge')).toEqual({
      isError: true,
      text: expect.stringMatching(/5000000000 bytes.*sed -n/),
    });
  });
});

describe('view of a folder', () => {
  it('shows two levels without hidden entries and installed packages, and follows no link', async () => {
    put('src/b/c/too-deep.ts', '');
    put('src/a.ts', '');
    put('node_modules/x/index.js', '');
    put('src/node_modules/x.js', '');
    put('.env', '');
    put('.git/config', '');
    put('README.md', '');
    put('odd\nname', '');
    symlinkSync('/etc', join(app, 'link'));
    expect((await view('.')).text).toBe(
      `${app}/ (two levels, without hidden entries and node_modules)\nREADME.md\nlink -> /etc\n"odd\\nname"\nsrc/\nsrc/a.ts\nsrc/b/`,
    );
    expect((await view('src')).text).toMatch(/\/src\/ .*\na\.ts\nb\/\nb\/c\/$/);
  });

  it('says so when there is nothing to show, and that ranges are for files', async () => {
    expect((await view(app)).text).toContain('(empty, or only hidden entries)');
    expect(await view('.', [1, 2])).toEqual({ isError: true, text: expect.stringMatching(/is a folder/) });
  });

  it('bounds a long list and counts the rest', async () => {
    for (let index = 0; index < 2000; index++) put(`f-${'x'.repeat(20)}-${index}`, '');
    const { text } = await view('.');
    expect(text.length).toBeLessThan(24_300);
    const [, more] = /\[(\d+) more entries/.exec(text) ?? [];
    expect(text.split('\n').length - 2 + Number(more)).toBe(2000);
  });
});
