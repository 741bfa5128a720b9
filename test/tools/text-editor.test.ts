import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { textEditorTool } from '../../harness/tools/text-editor.js';
import type { Tool, ToolResult } from '../../harness/tools/tool.js';

const CASES = join(packageRoot, 'test/fixtures/cases');

let base: string;
let app: string;
let tool: Tool;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'text-editor-')));
  app = join(base, 'app');
  mkdirSync(app);
  tool = textEditorTool({
    appRoot: app,
    description: 'edits',
    protectedPaths: path => (path === 'features.json' ? 'features.json is kept by the harness.' : null),
  });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Runs a call as the session does: only what passes the schema. */
async function call(input: Record<string, unknown>): Promise<ToolResult> {
  const validate = new Ajv({ strict: true }).compile(tool.schema);
  if (!validate(input)) throw new Error(JSON.stringify(validate.errors));
  const result = await tool.run(input, new AbortController().signal);
  expect(result.text.trim()).not.toBe('');
  return result;
}

const view = (path: string, range?: number[]) =>
  call({ command: 'view', path, ...(range && { view_range: range }) });
const create = (path: string, text: string) => call({ command: 'create', path, file_text: text });
const replace = (path: string, old: string, to: string) =>
  call({ command: 'str_replace', path, old_str: old, new_str: to });
const insert = (path: string, line: number, text: string) =>
  call({ command: 'insert', path, insert_line: line, insert_text: text });

const put = (path: string, content: string | Buffer) => writeFileSync(join(app, path), content);
const get = (path: string) => readFileSync(join(app, path), 'utf8');
const sha256 = (path: string) =>
  createHash('sha256')
    .update(readFileSync(join(app, path)))
    .digest('hex');

/** The call must fail, say so in these words, and leave the app as it was. */
async function expectRefusal(act: () => Promise<ToolResult>, words: RegExp): Promise<void> {
  const before = snapshot();
  const result = await act();
  expect(result).toEqual({ isError: true, text: expect.stringMatching(words) });
  expect(snapshot()).toEqual(before);
}

function snapshot(): string[] {
  return readdirSync(base, { recursive: true, withFileTypes: true })
    .map(entry => {
      const path = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) return `${path} -> ${readlinkSync(path)}`;
      return entry.isFile()
        ? `${path} ${statSync(path).mode} ${readFileSync(path).toString('latin1')}`
        : path;
    })
    .sort();
}

describe('the edits of the field cases', () => {
  const edits: {
    case: string;
    file: string;
    old: string;
    new: string;
    must_succeed: boolean;
    sha256_before: string;
    sha256_after: string;
  }[] = JSON.parse(readFileSync(join(CASES, 'FC-040-edits.json'), 'utf8'));

  it.each(edits)('$case $file gives the expected bytes', async edit => {
    copyFileSync(join(CASES, edit.file), join(app, edit.file));
    expect(sha256(edit.file)).toBe(edit.sha256_before);
    const result = await replace(edit.file, edit.old, edit.new);
    expect(result.isError ?? false).toBe(!edit.must_succeed);
    expect(sha256(edit.file)).toBe(edit.sha256_after);
    if (edit.case === 'FC-046') expect(result.text).toMatch(/matches 3 places \(lines 2, 5, 8\)/);
  });

  it('FC-034: a file with NUL bytes is named binary, with its size', async () => {
    copyFileSync(join(CASES, 'FC-034-nul-bytes.bin'), join(app, 'x.bin'));
    const result = await view('x.bin');
    expect(result.text).toMatch(/binary, 295 bytes/);
    expect(result.text).not.toContain('\0');
    await expectRefusal(() => replace('x.bin', 'FC034-END', 'x'), /binary, 295 bytes.*does not edit/);
    await expectRefusal(() => insert('x.bin', 0, 'x'), /binary/);
  });

  it('FC-043: the byte order mark is not in the text that is shown', async () => {
    copyFileSync(join(CASES, 'FC-043-bom.json'), join(app, 'x.json'));
    const result = await view('x.json');
    expect(result.text).toContain('     1\t{');
    expect(result.text).not.toContain('\uFEFF');
  });

  it('FC-049: nothing is read, created or edited behind a folder link', async () => {
    const outside = join(base, 'outside');
    execFileSync('bash', [join(CASES, 'FC-049-symlink-dir.sh'), app, outside]);
    await expectRefusal(() => view('outbox/victim.txt'), /outside the app/);
    await expectRefusal(() => view('outbox'), /outside the app/);
    await expectRefusal(() => create('outbox/new.txt', 'x'), /outside the app/);
    await expectRefusal(() => create('outbox/a/b/new.txt', 'x'), /outside the app/);
    await expectRefusal(() => create('outbox/victim.txt', 'x'), /outside the app/);
    await expectRefusal(() => replace('outbox/victim.txt', 'original', 'x'), /outside the app/);
    await expectRefusal(() => insert('outbox/victim.txt', 0, 'x'), /outside the app/);
  });

  it('FC-047: an edit works on the bytes that are on the disk now', async () => {
    put('a.txt', 'one\ntwo\n');
    await view('a.txt');
    appendFileSync(join(app, 'a.txt'), 'three, from outside\n');
    expect(await replace('a.txt', 'two', '2')).not.toHaveProperty('isError');
    expect(get('a.txt')).toBe('one\n2\nthree, from outside\n');
  });

  it('FC-047: a file that changes between the read and the write of an edit is left as it is then', async () => {
    put('a.txt', 'one\n');
    const meanwhile = {
      command: 'str_replace',
      path: 'a.txt',
      old_str: 'one',
      // Asked for when the file has been read, which is the moment wanted here.
      get new_str() {
        appendFileSync(join(app, 'a.txt'), 'from outside\n');
        return '1';
      },
    };
    const result = await tool.run(meanwhile, new AbortController().signal);
    expect(result).toEqual({ isError: true, text: expect.stringMatching(/changed by something else/) });
    expect(get('a.txt')).toMatch(/^one\n(from outside\n)+$/);
  });

  it('FC-047: a file that was deleted or became a folder is not created by an edit', async () => {
    put('a.txt', 'one\n');
    await view('a.txt');
    rmSync(join(app, 'a.txt'));
    await expectRefusal(() => replace('a.txt', 'one', '1'), /does not exist/);
    await expectRefusal(() => insert('a.txt', 0, '1'), /does not exist/);
    mkdirSync(join(app, 'a.txt'));
    await expectRefusal(() => replace('a.txt', 'one', '1'), /is a folder/);
    await expectRefusal(() => create('a.txt', 'one'), /is a folder/);
  });
});

describe('create', () => {
  it('makes a new file with its folders and says where', async () => {
    const result = await create('src/deep/a.ts', 'export {};\n');
    expect(result).toEqual({ text: `Created ${join(app, 'src/deep/a.ts')} (1 line, 11 bytes).` });
    expect(get('src/deep/a.ts')).toBe('export {};\n');
  });

  it('overwrites a file, says so and keeps its mode', async () => {
    put('init.sh', 'old');
    chmodSync(join(app, 'init.sh'), 0o755);
    expect((await create('init.sh', '#!/bin/sh\n')).text).toMatch(/^Overwrote .*init\.sh/);
    expect(statSync(join(app, 'init.sh')).mode & 0o777).toBe(0o755);
    expect((await create('init.sh', '#!/bin/sh\n')).text).toMatch(/exactly this content already/);
  });

  it.each(['', '\uFEFFx', 'a\r\nb\r', '$& $$ $1\n', '😀é\u0301\u2028\n'])(
    'writes the text to the letter: %j',
    async text => {
      await create('a.txt', text);
      expect(get('a.txt')).toBe(text);
    },
  );

  it('takes absolute paths, also through a link to the app', async () => {
    symlinkSync(app, join(base, 'alias'));
    await create(join(app, 'a.txt'), 'a');
    await create(join(base, 'alias/b.txt'), 'b');
    expect(get('a.txt') + get('b.txt')).toBe('ab');
  });

  it('refuses a folder, a place below a file, and a pipe', async () => {
    mkdirSync(join(app, 'folder'));
    put('file', '');
    execFileSync('mkfifo', [join(app, 'pipe')]);
    await expectRefusal(() => create('folder', 'x'), /is a folder.*path of a file/);
    await expectRefusal(() => create('.', 'x'), /is a folder/);
    await expectRefusal(() => create('file/x', 'x'), /a file, not a folder/);
    await expectRefusal(() => create('pipe', 'x'), /named pipe/);
    await expectRefusal(() => replace('pipe', 'x', 'y'), /named pipe/);
    await expectRefusal(() => view('pipe'), /named pipe/);
  });

  it('fills a link whose target inside the app is missing, and the link stays', async () => {
    symlinkSync('real.txt', join(app, 'link.txt'));
    await create('link.txt', 'x');
    expect(get('real.txt')).toBe('x');
    expect(readlinkSync(join(app, 'link.txt'))).toBe('real.txt');
  });
});

describe('str_replace', () => {
  it('answers with the changed lines and a few around them', async () => {
    put('a.txt', 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n');
    const result = await replace('a.txt', 'l5\nl6\n', 'five\n');
    expect(result.text).toBe(
      `Replaced one place in ${join(app, 'a.txt')}:\n${[
        '     2\tl2',
        '     3\tl3',
        '     4\tl4',
        '     5\tfive',
        '     6\tl7',
        '     7\tl8',
        '     8\tl9',
      ].join('\n')}`,
    );
  });

  it('leaves out the middle of a long change', async () => {
    put('a.txt', 'x\n');
    const result = await replace('a.txt', 'x', Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n'));
    expect(result.text.split('\n')).toHaveLength(1 + 12 + 1 + 12);
    expect(result.text).toContain('… 476 lines …');
  });

  it.each([0o755, 0o600, 0o444])('keeps mode %o', async mode => {
    put('run.sh', 'echo a\n');
    chmodSync(join(app, 'run.sh'), mode);
    await replace('run.sh', 'a', 'b');
    await insert('run.sh', 0, '#!/bin/sh');
    expect(get('run.sh')).toBe('#!/bin/sh\necho b\n');
    expect(statSync(join(app, 'run.sh')).mode & 0o7777).toBe(mode);
  });

  it('edits the target of a link inside the app, and the link stays a link', async () => {
    mkdirSync(join(app, 'real'));
    put('real/a.txt', 'one\n');
    symlinkSync('real/a.txt', join(app, 'link.txt'));
    symlinkSync('real', join(app, 'folder'));
    await replace('link.txt', 'one', 'two');
    await insert('folder/a.txt', 1, 'three');
    expect(get('real/a.txt')).toBe('two\nthree\n');
    expect(lstatSync(join(app, 'link.txt')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(app, 'folder')).isSymbolicLink()).toBe(true);
  });

  it.each(['$&', '$$', '$`', "$'", '$1', '$<n>', '\\n', '\\$&'])('takes %s letter for letter', async text => {
    put('a.txt', 'before OLD after\n');
    await replace('a.txt', 'OLD', text);
    expect(get('a.txt')).toBe(`before ${text} after\n`);
  });

  it('counts overlapping matches as several', async () => {
    put('a.txt', 'aaa');
    await expectRefusal(() => replace('a.txt', 'aa', 'b'), /matches 2 places/);
  });

  it('counts places that differ only in their line endings as several', async () => {
    put('a.txt', 'a\r\nb\r\n--\na\nb\n');
    await expectRefusal(() => replace('a.txt', 'a\nb', 'c'), /matches 2 places \(lines 1, 4\)/);
  });

  it.each([
    ['in a CRLF file', 'a\r\nb\r\nc\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\nc\r\n'],
    ['in a CRLF file, CRLF given', 'a\r\nb\r\nc\r\n', 'a\r\nb', 'x\r\ny\r\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['at the end of a CRLF file without a last newline', 'a\r\nb', 'b', 'x\ny', 'a\r\nx\r\ny'],
    ['in the CRLF part of a mixed file', 'a\r\nb\r\nc\nd\n', 'a\nb\n', 'x\n', 'x\r\nc\nd\n'],
    ['in the LF part of a mixed file', 'a\r\nb\r\nc\nd\n', 'c\nd\n', 'x\ny\nz\n', 'a\r\nb\r\nx\ny\nz\n'],
    ['over both, line by line', 'a\r\nb\nc\r\n', 'a\nb\nc', 'x\ny\nz', 'x\r\ny\nz\r\n'],
    ['over both, none left', 'a\r\nb\nc\r\n', 'a\nb\nc', 'x', 'x\r\n'],
    ['CRLF given in an LF file stays CRLF', 'a\nb\n', 'b', 'x\r\ny', 'a\nx\r\ny\n'],
    ['beginning with a newline', 'a\r\nb\r\n', '\nb', '\nx', 'a\r\nx\r\n'],
    ['a lone CR is a character', 'a\rb\nc\n', 'a\rb', 'x\ry', 'x\ry\nc\n'],
  ])('keeps the line endings of the place: %s', async (_, before, old, to, after) => {
    put('a.txt', before);
    expect(await replace('a.txt', old, to)).not.toHaveProperty('isError');
    expect(get('a.txt')).toBe(after);
  });

  it.each([
    ['mixed endings that do not pair up', 'a\r\nb\nc\r\n', 'a\nb\nc', 'x\ny', /both CRLF and LF/],
    ['half of a line ending at the start', 'a\r\nb', '\nb\r', 'x', /not found/],
    ['half of a line ending at the end', 'a\r\nb', 'a\r', 'x', /not found.*contain|not found/s],
    ['line breaks in a file of old Macs', 'a\rb\rc', 'a', 'x\ny', /CR alone/],
    ['a change of line endings only', 'a\r\nb\r\n', 'a\r\n', 'a\n', /would change nothing/],
    ['a second byte order mark', '\uFEFFa\n', 'a', '\uFEFFb', /byte order mark already/],
  ])('refuses %s', async (_, before, old, to, words) => {
    put('a.txt', before);
    await expectRefusal(() => replace('a.txt', old, to), words);
  });

  it('deletes with an empty new_str, even the whole text', async () => {
    put('a.txt', '\uFEFFone\ntwo\n');
    await replace('a.txt', 'one\n', '');
    expect((await replace('a.txt', 'two\n', '')).text).toContain('the file is empty now');
    expect(get('a.txt')).toBe('\uFEFF');
  });

  it.each([
    [
      'UTF-8 text in a Latin-1 file',
      Buffer.from('Gr\xf6\xdfe = 1;\nunit = 2;\n', 'latin1'),
      'unit',
      'Größe',
      /ASCII only/,
    ],
    ['non-ASCII to be found', Buffer.from('Gr\xf6\xdfe = 1;\n', 'latin1'), 'Größe', 'x', /ASCII only/],
    ['what may be half of a character', Buffer.from([0x83, 0x65, 0x31, 0x0a]), 'e1', 'x', /tear/],
    ['UTF-16', Buffer.from('\uFEFFabc\n', 'utf16le'), 'abc', 'x', /UTF-16 text \(binary, 10 bytes\)/],
  ])('refuses %s', async (_, before, old, to, words) => {
    put('a.txt', before);
    await expectRefusal(() => replace('a.txt', old, to), words);
  });

  it('edits ASCII in files of other encodings and leaves the other bytes alone', async () => {
    put('a.txt', Buffer.from('Gr\xf6\xdfe = 1;\r\nunit = 2;\r\n', 'latin1'));
    await replace('a.txt', 'unit = 2;', 'unit = 3;\nmore = 4;');
    await insert('a.txt', 0, '// first');
    expect(readFileSync(join(app, 'a.txt')).toString('latin1')).toBe(
      '// first\r\nGr\xf6\xdfe = 1;\r\nunit = 3;\r\nmore = 4;\r\n',
    );
    await expectRefusal(() => insert('a.txt', 0, 'Größe'), /ASCII only/);
    const shown = await view('a.txt');
    expect(shown.text).toContain('Größe = 1;');
    expect(shown.text).toContain('Not UTF-8');
  });
});

describe('str_replace, when nothing matches, says what the file has instead', () => {
  it.each([
    [
      'other white space',
      'if (a) {\n\treturn  1;\n}\n',
      'if (a) {\n  return 1;\n}',
      /only in white space.*from line 1:\n {5}1\tif \(a\) \{\n {5}2\t\treturn {2}1;\n {5}3\t\}/s,
    ],
    ['no newline at the end', 'x\nlast', 'last\n', /only in white space.*\n {5}2\tlast$/s],
    ['line numbers from a view', 'one\ntwo\n', '     1\tone\n     2\ttwo\n', /line numbers that view prints/],
    [
      'composed letters, file decomposed',
      'x\ncafe\u0301\n',
      'caf\u00e9',
      /Line 2 has the same text in another Unicode form/,
    ],
    ['decomposed letters, file composed', 'caf\u00e9\r\nx', 'cafe\u0301\nx', /Line 1 .*Unicode form/],
    ['CR in a file without', 'a\nb\n', 'a\r\nb', /other line endings/],
    [
      'the edit was done before',
      'const answer = 42;\n',
      'const answer = 41;',
      /new_str is in the file already, at line 1/,
    ],
    [
      'one line is there',
      'a\nfunction load() {\n  go();\n}\n',
      'function load() {\n  stay();\n}',
      /Line 2 is like a line of old_str.*\n {5}2\tfunction load/s,
    ],
    ['nothing like it', 'a\nb\n', 'something else', /No line of the file is like it/],
  ])('%s', async (_, before, old, words) => {
    put('a.txt', before);
    await expectRefusal(() => replace('a.txt', old, 'const answer = 42;'), words);
  });

  it('does not take a letter with an accent for the letter without', async () => {
    put('a.txt', 'Gro\u0308ße\n');
    const result = await replace('a.txt', 'Gros', 'x');
    expect(result.text).not.toContain('Unicode form');
  });
});

describe('insert', () => {
  it.each([
    ['at the top', 'a\nb\n', 0, 'x', 'x\na\nb\n'],
    ['between', 'a\nb\n', 1, 'x\ny\n', 'a\nx\ny\nb\n'],
    ['at the end', 'a\nb\n', 2, 'x', 'a\nb\nx\n'],
    ['at the end without a newline there', 'a\nb', 2, 'x\n', 'a\nb\nx'],
    ['before a last line without a newline', 'a\nb', 1, 'x', 'a\nx\nb'],
    ['into an empty file', '', 0, 'x', 'x'],
    ['into an empty file, with newline', '', 0, 'x\n', 'x\n'],
    ['into a CRLF file', 'a\r\nb\r\n', 1, 'x\ny', 'a\r\nx\r\ny\r\nb\r\n'],
    ['into a CRLF file without a last newline', 'a\r\nb', 2, 'x', 'a\r\nb\r\nx'],
    ['after a CRLF line of a mixed file', 'a\r\nb\n', 1, 'x', 'a\r\nx\r\nb\n'],
    ['after an LF line of a mixed file', 'a\nb\r\n', 1, 'x', 'a\nx\nb\r\n'],
    ['behind the byte order mark', '\uFEFFa\n', 0, 'x', '\uFEFFx\na\n'],
    ['into a file with only the mark', '\uFEFF', 0, 'x\n', '\uFEFFx\n'],
    ['an empty line', 'a\nb\n', 1, '\n', 'a\n\nb\n'],
    ['an empty line at the end without a newline there', 'a', 1, '\n', 'a\n\n'],
    ['after an empty line', '\n\n', 1, 'x', '\nx\n\n'],
    ['dollars', 'a\n', 1, '$& $$\n', 'a\n$& $$\n'],
  ])('%s', async (_, before, line, text, after) => {
    put('a.txt', before);
    expect(await insert('a.txt', line, text)).not.toHaveProperty('isError');
    expect(get('a.txt')).toBe(after);
  });

  it('shows the inserted lines with their neighbours', async () => {
    put('a.txt', 'a\nb\n');
    expect((await insert('a.txt', 1, 'x')).text).toBe(
      `Inserted into ${join(app, 'a.txt')}:\n     1\ta\n     2\tx\n     3\tb`,
    );
  });

  it('refuses a line that is not there, and lines that cannot be counted', async () => {
    put('a.txt', 'a\nb\n');
    put('mac.txt', 'a\rb\r');
    put('bom.txt', '\uFEFFa\n');
    await expectRefusal(
      () => insert('a.txt', 3, 'x'),
      /insert_line 3 .*has 2 lines.*0 for the top, 2 for the end/,
    );
    await expectRefusal(() => insert('mac.txt', 1, 'x'), /CR alone/);
    await expectRefusal(() => insert('a.txt', 0, 'x\r'), /CR alone/);
    await expectRefusal(() => insert('bom.txt', 0, '\uFEFFx'), /byte order mark already/);
  });
});

describe('a call that cannot be carried out', () => {
  it.each([
    [{ command: 'create', path: 'a.txt' }, /create needs file_text\. A right call: .*"file_text"/],
    [{ command: 'str_replace', path: 'a.txt' }, /needs old_str and new_str\. A right call/],
    [{ command: 'str_replace', path: 'a.txt', old_str: 'one' }, /needs new_str.*to delete: "new_str": ""/],
    [
      { command: 'insert', path: 'a.txt', insert_line: 1, new_str: 'x' },
      /needs insert_text\. A right call: .*insert_text/,
    ],
    [{ command: 'insert', path: 'a.txt', insert_text: 'x' }, /needs insert_line/],
    [{ command: 'insert', path: 'a.txt', insert_line: 0, insert_text: '' }, /insert_text is empty/],
    [{ command: 'str_replace', path: 'a.txt', old_str: '', new_str: 'x' }, /old_str is empty/],
    [{ command: 'str_replace', path: 'a.txt', old_str: 'one', new_str: 'one' }, /are the same/],
    [
      { command: 'str_replace', path: 'a.txt', old_str: 'one', new_str: '\ud83d' },
      /new_str contains half of a character/,
    ],
    [{ command: 'str_replace', path: 'a.txt', old_str: '\ude00', new_str: 'x' }, /old_str contains half/],
    [{ command: 'create', path: 'a.txt', file_text: 'a\ud83d' }, /file_text contains half/],
    [{ command: 'insert', path: 'a.txt', insert_line: 0, insert_text: '\0' }, /insert_text contains a NUL/],
    [{ command: 'view', path: 'a\0.txt' }, /NUL/],
    [{ command: 'view', path: '' }, /is empty/],
    [{ command: 'create', path: 'none/', file_text: '' }, /names a folder/],
    [{ command: 'view', path: 'none.txt' }, /does not exist\. View "\."/],
  ])('%j says why and changes nothing', async (input, words) => {
    put('a.txt', 'one 😀\n');
    await expectRefusal(() => call(input), words);
  });

  it('keeps to the hook for protected paths, through links too, and lets them be read', async () => {
    put('features.json', '[]\n');
    symlinkSync('features.json', join(app, 'link.json'));
    for (const path of ['features.json', './features.json', 'link.json', join(app, 'features.json')]) {
      await expectRefusal(() => create(path, 'x'), /kept by the harness/);
      await expectRefusal(() => replace(path, '[]', '{}'), /kept by the harness/);
      await expectRefusal(() => insert(path, 0, 'x'), /kept by the harness/);
      expect((await view(path)).text).toContain('[]');
    }
  });

  it('writes nothing in a git directory and shows nothing of the harness', async () => {
    mkdirSync(join(app, '.git/longhaul/sessions'), { recursive: true });
    mkdirSync(join(app, '.git/hooks'), { recursive: true });
    put('.git/config', '[core]\n');
    put('.git/longhaul/journal.jsonl', 'x\n');
    await expectRefusal(() => create('.git/hooks/pre-commit', 'x'), /git directory/);
    await expectRefusal(() => replace('.git/config', 'core', 'x'), /git directory/);
    await expectRefusal(() => view('.git/longhaul/journal.jsonl'), /belongs to the harness/);
    await expectRefusal(() => view('.git/longhaul'), /belongs to the harness/);
    expect((await view('.git/config')).text).toContain('[core]');
    const listed = (await view('.git')).text;
    expect(listed).toContain('hooks/');
    expect(listed).not.toContain('longhaul');
  });

  it('does nothing once the session is interrupted', async () => {
    const result = await tool.run({ command: 'create', path: 'a.txt', file_text: 'x' }, AbortSignal.abort());
    expect(result.isError).toBe(true);
    expect(existsSync(join(app, 'a.txt'))).toBe(false);
  });

  it('follows no link that was put in place of the app', async () => {
    put('a.txt', 'one\n');
    const outside = join(base, 'outside');
    mkdirSync(outside);
    renameSync(app, join(base, 'moved'));
    symlinkSync(outside, app);
    await expectRefusal(() => create('a.txt', 'x'), /not there any more/);
    rmSync(app);
    renameSync(join(base, 'moved'), app);
  });

  it('reports a full disk to the model and leaves the file as it was', async context => {
    const disk = join(app, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return context.skip();
    }
    try {
      put('disk/a.txt', 'one\n');
      await expectRefusal(() => replace('disk/a.txt', 'one', 'x'.repeat(200_000)), /ENOSPC.*free some space/);
      await expectRefusal(() => create('disk/b.txt', 'x'.repeat(200_000)), /ENOSPC/);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

it('tells reads from writes, so that only reads run side by side', () => {
  const access = (command: string) => tool.access({ command, path: 'a' });
  expect(['view', 'create', 'str_replace', 'insert'].map(access)).toEqual([
    'read',
    'write',
    'write',
    'write',
  ]);
});

it('has a schema that refuses unknown arguments, and a description in a file', () => {
  const validate = new Ajv({ strict: true }).compile(tool.schema);
  expect(validate({ command: 'view', path: 'a', recursive: true })).toBe(false);
  expect(validate({ command: 'undo_edit', path: 'a' })).toBe(false);
  expect(validate({ command: 'view', path: 'a', view_range: [1] })).toBe(false);
  expect(readFileSync(join(packageRoot, 'prompts/tools/text_editor.md'), 'utf8')).toContain('str_replace');
});
