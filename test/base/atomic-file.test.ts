import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  readIfExists,
  syncFolder,
  TEMPORARY_FILE,
  writeFileDurably,
} from '../../harness/base/atomic-file.js';
import { LonghaulError } from '../../harness/base/errors.js';
import { packageRoot } from '../../harness/base/package-root.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'atomic-file-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('writeFileDurably', () => {
  it('creates a file with the mode that the umask allows, and leaves nothing else behind', () => {
    const path = join(folder, 'new.txt');
    writeFileDurably(path, 'grüße\n');
    expect(readFileSync(path, 'utf8')).toBe('grüße\n');
    expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(folder)).toEqual(['new.txt']);
  });

  it.each([0o644, 0o755, 0o600, 0o444, 0o4755])('keeps mode %o of the file it replaces', mode => {
    const path = join(folder, 'old');
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    writeFileDurably(path, Buffer.from([0, 255, 1]));
    expect(statSync(path).mode & 0o7777).toBe(mode);
    expect([...readFileSync(path)]).toEqual([0, 255, 1]);
  });

  it('gives the mode that was asked for, also against the umask and the old mode', () => {
    const path = join(folder, 'secret');
    writeFileSync(path, 'old', { mode: 0o644 });
    writeFileDurably(path, 'new', { mode: 0o600 });
    writeFileDurably(join(folder, 'open'), 'new', { mode: 0o666 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'open')).mode & 0o777).toBe(0o666);
  });

  it('replaces a link instead of writing through it', () => {
    writeFileSync(join(folder, 'target'), 'target');
    symlinkSync('target', join(folder, 'link'));
    writeFileDurably(join(folder, 'link'), 'new');
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('target');
    expect(lstatSync(join(folder, 'link')).isFile()).toBe(true);
  });

  it('writes a file whose name is as long as names can be', () => {
    const path = join(folder, 'n'.repeat(255));
    writeFileDurably(path, 'x');
    expect(readFileSync(path, 'utf8')).toBe('x');
  });

  it('uses temp names that cannot be guessed, in the same folder', () => {
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      writeFileDurably(join(folder, 'f'), 'x', {
        beforeRename: () => {
          const temporary = readdirSync(folder).filter(name => name !== 'f');
          expect(temporary).toHaveLength(1);
          expect(temporary[0]).toMatch(TEMPORARY_FILE);
          seen.add(temporary[0] ?? '');
        },
      });
    }
    expect(seen.size).toBe(3);
  });

  it('leaves the old file and passes the error on when the last look objects', () => {
    const path = join(folder, 'f');
    writeFileSync(path, 'old');
    const objection = new Error('not now');
    const thrown = thrownBy(() =>
      writeFileDurably(path, 'new', {
        beforeRename: () => {
          throw objection;
        },
      }),
    );
    expect(thrown).toBe(objection);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['f']);
  });

  it.each([
    [
      'its folder is missing',
      'missing/f',
      /missing\/f could not be written .*ENOENT.*create its folder first\.$/,
    ],
    ['a folder is in the way', 'folder', /folder could not be written .*a folder is in the way.*\.$/],
    ['a part of the path is a file', 'file/f', /file\/f could not be written .*a part of the path is a file/],
  ])('says which file and what would help when %s, and cleans up', (_, name, message) => {
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'file'), '');
    const thrown = thrownBy(() => writeFileDurably(join(folder, name), 'new'));
    expect(thrown).toBeInstanceOf(LonghaulError);
    expect(thrown).toMatchObject({
      code: 'disk',
      message: expect.stringMatching(message),
      cause: expect.any(Error),
    });
    expect(readdirSync(folder).sort()).toEqual(['file', 'folder']);
  });

  it('keeps the old file whole on a full disk', context => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status !== 0)
      return context.skip();
    try {
      writeFileSync(join(disk, 'f'), 'old');
      const thrown = thrownBy(() => writeFileDurably(join(disk, 'f'), 'x'.repeat(200_000)));
      expect(thrown).toMatchObject({ code: 'disk', message: expect.stringMatching(/free some space/) });
      expect(readFileSync(join(disk, 'f'), 'utf8')).toBe('old');
      expect(readdirSync(disk)).toEqual(['f']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('never shows a reader half a file', async () => {
    const path = join(folder, 'f');
    const [a, b] = ['a'.repeat(500_000), 'b'.repeat(500_000)];
    writeFileDurably(path, a);
    const reader = spawn(process.execPath, ['-e', READER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await firstOutput(reader);
      for (let round = 0; round < 40; round++) writeFileDurably(path, round % 2 ? a : b);
      writeFileDurably(`${path}.stop`, '');
      expect(await exitCode(reader)).toBe(0);
    } finally {
      reader.kill('SIGKILL');
    }
  });

  it('is old or new, never half, after SIGKILL at any moment', async () => {
    const path = join(folder, 'f');
    const writer = transpiledWriter();
    for (let round = 0; round < 12; round++) {
      const child = spawn(process.execPath, [writer, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      await firstOutput(child);
      // Spread over some writes; the exact moment does not matter.
      await new Promise(resolve => setTimeout(resolve, 1 + round * 2));
      child.kill('SIGKILL');
      await exitCode(child);
      expect(readFileSync(path, 'utf8')).toMatch(/^(a{300000}|b{300000})$/);
    }
    const strays = readdirSync(folder).filter(name => name.startsWith('.'));
    expect(strays.every(name => TEMPORARY_FILE.test(name))).toBe(true);
  });

  it('waits for the content before the rename and for the folder after it', context => {
    const log = join(folder, 'trace');
    const child = spawnSync('strace', [
      ...['-f', '-qq', '-o', log, '-e', 'trace=fsync,fdatasync,rename,renameat,renameat2'],
      ...[process.execPath, transpiledWriter(), join(folder, 'f'), 'once'],
    ]);
    if (child.error || child.status !== 0) return context.skip();
    const calls = readFileSync(log, 'utf8').match(/\b(fsync|rename)\w*(?=\()/g);
    expect(calls).toEqual(['fsync', 'rename', 'fsync']);
  });
});

describe('readIfExists', () => {
  it('gives the bytes, or undefined for a file that is not there', () => {
    writeFileSync(join(folder, 'f'), Buffer.from([0, 200]));
    expect([...(readIfExists(join(folder, 'f')) ?? [])]).toEqual([0, 200]);
    expect(readIfExists(join(folder, 'none'))).toBeUndefined();
  });

  it.each(['folder', 'file/below'])('never takes another failure for a missing file: %s', name => {
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'file'), '');
    const thrown = thrownBy(() => readIfExists(join(folder, name)));
    expect(thrown).toMatchObject({ code: 'disk', message: expect.stringContaining(join(folder, name)) });
  });
});

it('syncFolder throws what the system threw', () => {
  syncFolder(folder);
  expect(thrownBy(() => syncFolder(join(folder, 'none')))).toMatchObject({ code: 'ENOENT' });
});

/** Reads its file until FILE.stop is there; exit code 1 when it saw anything but one letter 500,000 times. */
const READER = `
const { existsSync, readFileSync } = require('node:fs');
const path = process.argv[1];
process.stdout.write('ready');
while (!existsSync(path + '.stop')) {
  const text = readFileSync(path, 'utf8');
  if (text.length !== 500000 || text !== text[0].repeat(500000)) process.exit(1);
}`;

/** The module as JavaScript beside a program that writes FILE again and again, or once. */
function transpiledWriter(): string {
  const place = join(folder, 'js');
  if (existsSync(place)) return join(place, 'writer.mjs');
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  for (const name of ['atomic-file', 'errors']) {
    const source = readFileSync(join(packageRoot, 'harness/base', `${name}.ts`), 'utf8');
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    writeFileSync(join(place, `${name}.js`), ts.transpileModule(source, { compilerOptions }).outputText);
  }
  const writer = `
import { writeFileDurably } from ${JSON.stringify(pathToFileURL(join(place, 'atomic-file.js')).href)};
const [, , path, once] = process.argv;
writeFileDurably(path, 'a'.repeat(300000));
process.stdout.write('ready');
for (let i = 0; !once; i++) writeFileDurably(path, 'ab'[i % 2].repeat(300000));`;
  writeFileSync(join(place, 'writer.mjs'), writer);
  return join(place, 'writer.mjs');
}

function firstOutput(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', code => reject(new Error(`ended early with ${code}`)));
  });
}

function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise(resolve => child.once('exit', resolve));
}
