import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileDurably } from '../../harness/base/atomic-file.js';
import { inFolderOf, readAppFile, readAppFolder, writeAppFile } from '../../harness/workspace/app-files.js';
import { type AppPlace, resolveInside } from '../../harness/workspace/app-paths.js';

let base: string;
let app: string;
let outside: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'app-files-')));
  app = join(base, 'app');
  outside = join(base, 'outside');
  mkdirSync(join(app, 'd'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(app, 'd/victim.txt'), 'inside');
  writeFileSync(join(outside, 'victim.txt'), 'outside');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function place(path: string): AppPlace {
  const resolved = resolveInside(app, path, { forWriting: true });
  if (!resolved.ok) throw new Error(resolved.reason);
  return resolved;
}

function versionOf(path: string) {
  const file = readAppFile(place(path), 1000);
  if (!file.ok) throw new Error(file.reason);
  return file.version;
}

describe('readAppFile', () => {
  it('gives the bytes of a regular file', () => {
    expect(readAppFile(place('d/victim.txt'), 1000)).toMatchObject({
      ok: true,
      bytes: Buffer.from('inside'),
    });
  });

  it('refuses what is missing, a folder or too large, with a kind to branch on', () => {
    expect(readAppFile(place('none.txt'), 1000)).toMatchObject({ ok: false, kind: 'missing' });
    expect(readAppFile(place('none/none.txt'), 1000)).toMatchObject({ ok: false, kind: 'missing' });
    expect(readAppFile(place('d'), 1000)).toMatchObject({ ok: false, kind: 'folder' });
    expect(readAppFile(place('.'), 1000)).toMatchObject({ ok: false, kind: 'folder' });
    expect(readAppFile(place('d/victim.txt'), 5)).toMatchObject({ ok: false, kind: 'too_large' });
    expect(readAppFile(place('d/victim.txt'), 6)).toMatchObject({ ok: true });
  });

  it('refuses pipes and sockets without waiting for them', async () => {
    execFileSync('mkfifo', [join(app, 'pipe')]);
    const server = createServer();
    await new Promise<void>(resolve => server.listen(join(app, 'socket'), resolve));
    try {
      expect(readAppFile(place('pipe'), 1000)).toMatchObject({
        kind: 'special',
        reason: expect.stringMatching(/named pipe/),
      });
      expect(readAppFile(place('socket'), 1000)).toMatchObject({
        kind: 'special',
        reason: expect.stringMatching(/a socket/),
      });
      expect(writeAppFile(place('pipe'), Buffer.from('x'))).toMatchObject({ kind: 'special' });
      expect(statSync(join(app, 'pipe')).isFIFO()).toBe(true);
    } finally {
      await new Promise(resolve => server.close(resolve));
    }
  });

  it('refuses a device', context => {
    try {
      execFileSync('mknod', [join(app, 'zero'), 'c', '1', '5'], { stdio: 'ignore' });
    } catch {
      return context.skip();
    }
    expect(readAppFile(place('zero'), 1000)).toMatchObject({
      kind: 'special',
      reason: expect.stringMatching(/a device/),
    });
  });

  it('says what would help when the system refuses', () => {
    chmodSync(join(app, 'd/victim.txt'), 0);
    const [there, beside] = [place('d/victim.txt'), place('d/new.txt')];
    asOrdinaryUser(() => {
      expect(readAppFile(there, 1000)).toMatchObject({
        kind: 'failed',
        reason: expect.stringMatching(/could not be read \(EACCES\): give this user access/),
      });
      chmodIfMine(join(app, 'd'), 0o500);
      expect(writeAppFile(beside, Buffer.from('x'))).toMatchObject({
        kind: 'failed',
        reason: expect.stringMatching(/could not be written \(EACCES\): give this user access/),
      });
    });
    chmodSync(join(app, 'd'), 0o755);
  });
});

describe('writeAppFile', () => {
  it('makes missing folders for a new file, but not for one that was read before', () => {
    expect(writeAppFile(place('a/b/new.txt'), Buffer.from('x'))).toEqual({ ok: true });
    expect(readFileSync(join(app, 'a/b/new.txt'), 'utf8')).toBe('x');
    const seen = versionOf('d/victim.txt');
    const there = place('d/victim.txt');
    rmSync(join(app, 'd'), { recursive: true });
    expect(writeAppFile(there, Buffer.from('x'), seen)).toMatchObject({ ok: false, kind: 'missing' });
    expect(existsSync(join(app, 'd'))).toBe(false);
  });

  it.each([
    ['rewritten', () => writeFileSync(join(app, 'd/victim.txt'), 'INSIDE'), 'changed'],
    ['longer', () => writeFileSync(join(app, 'd/victim.txt'), 'inside and more'), 'changed'],
    ['deleted', () => rmSync(join(app, 'd/victim.txt')), 'missing'],
    [
      'a folder',
      () => {
        rmSync(join(app, 'd/victim.txt'));
        mkdirSync(join(app, 'd/victim.txt'));
      },
      'folder',
    ],
    [
      'a link to the outside',
      () => {
        rmSync(join(app, 'd/victim.txt'));
        symlinkSync(join(outside, 'victim.txt'), join(app, 'd/victim.txt'));
      },
      'changed',
    ],
  ])('does not replace a file that is %s since it was read', async (_, change, kind) => {
    const there = place('d/victim.txt');
    const seen = versionOf('d/victim.txt');
    // Beyond the grain of the file system's clock, so that a rewrite of the same length shows.
    await new Promise(resolve => setTimeout(resolve, 20));
    change();
    const before = snapshot();
    expect(writeAppFile(there, Buffer.from('edited'), seen)).toMatchObject({ ok: false, kind });
    expect(snapshot()).toEqual(before);
  });

  it('parts from hard links, so that a name outside keeps its content', () => {
    linkSync(join(outside, 'victim.txt'), join(app, 'hard.txt'));
    expect(writeAppFile(place('hard.txt'), Buffer.from('edited'))).toEqual({ ok: true });
    expect(readFileSync(join(outside, 'victim.txt'), 'utf8')).toBe('outside');
  });
});

describe.each([
  ['by descriptor', true],
  ['by name', false],
])('a folder reached %s', (_, byDescriptor) => {
  const reach = (where: AppPlace, make: boolean) =>
    inFolderOf(where, { make, byDescriptor }, at => readFileSync(at, 'utf8'));

  it('is the one that the check saw', () => {
    expect(reach(place('d/victim.txt'), false)).toBe('inside');
  });

  it.runIf(byDescriptor)('stays the same when it is swapped for a link after the check', () => {
    inFolderOf(place('d/victim.txt'), { make: false, byDescriptor }, at => {
      renameSync(join(app, 'd'), join(app, 'd.old'));
      symlinkSync(outside, join(app, 'd'));
      expect(readFileSync(at, 'utf8')).toBe('inside');
      writeFileDurably(at, 'edited');
    });
    expect(readFileSync(join(app, 'd.old/victim.txt'), 'utf8')).toBe('edited');
    expect(readFileSync(join(outside, 'victim.txt'), 'utf8')).toBe('outside');
  });

  it('is refused when it, or one above it, became a link', () => {
    mkdirSync(join(app, 'e/d'), { recursive: true });
    mkdirSync(join(outside, 'd'));
    writeFileSync(join(outside, 'd/victim.txt'), 'outside');
    const [near, far] = [place('d/victim.txt'), place('e/d/victim.txt')];
    renameSync(join(app, 'd'), join(app, 'd.old'));
    renameSync(join(app, 'e'), join(app, 'e.old'));
    symlinkSync(outside, join(app, 'd'));
    symlinkSync(outside, join(app, 'e'));
    expect(() => reach(near, false)).toThrow(/ELOOP|ENOTDIR|became a link/);
    expect(() => reach(far, true)).toThrow(/ELOOP|ENOTDIR|became a link/);
  });

  it('is refused when the app itself became a link', () => {
    const there = place('d/victim.txt');
    mkdirSync(join(outside, 'd'));
    writeFileSync(join(outside, 'd/victim.txt'), 'outside');
    renameSync(app, join(base, 'moved'));
    symlinkSync(outside, app);
    expect(() => reach(there, false)).toThrow(/ELOOP|ENOTDIR|became a link/);
  });
});

it.runIf(process.platform === 'linux')('goes by descriptor on Linux', () => {
  expect(inFolderOf(place('d/victim.txt'), { make: false }, at => at)).toMatch(
    /^\/proc\/self\/fd\/\d+\/victim\.txt$/,
  );
});

it('lists only a folder that is one', () => {
  expect(readAppFolder(place('d'), at => readdirSync(at))).toEqual({ ok: true, list: ['victim.txt'] });
  expect(readAppFolder(place('.'), at => readdirSync(at))).toEqual({ ok: true, list: ['d'] });
  const there = place('d');
  rmSync(join(app, 'd'), { recursive: true });
  symlinkSync(outside, join(app, 'd'));
  expect(readAppFolder(there, at => readdirSync(at))).toMatchObject({ ok: false, kind: 'changed' });
});

it.runIf(process.platform === 'linux')(
  'reads and writes nothing outside while a folder is swapped for a link again and again',
  async () => {
    const swapper = spawn(process.execPath, ['-e', SWAPPER, app, outside], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const seen = { reads: 0, writes: 0 };
    try {
      await new Promise(resolve => swapper.stdout?.once('data', resolve));
      for (let round = 0; round < 3000; round++) {
        const resolved = resolveInside(app, 'd/victim.txt', { forWriting: true });
        if (!resolved.ok) continue;
        const file = readAppFile(resolved, 1000);
        if (!file.ok) continue;
        seen.reads++;
        expect(file.bytes.toString()).toBe('inside');
        if (round % 4 === 0 && writeAppFile(resolved, Buffer.from('inside'), file.version).ok) seen.writes++;
      }
    } finally {
      await stop(swapper);
    }
    expect(readFileSync(join(outside, 'victim.txt'), 'utf8')).toBe('outside');
    expect(readdirSync(outside)).toEqual(['victim.txt']);
    // Otherwise the test has seen nothing.
    expect(seen.reads).toBeGreaterThan(10);
    expect(seen.writes).toBeGreaterThan(0);
  },
);

/** Permissions do not bind root: a test that runs as root becomes nobody for a moment. */
function asOrdinaryUser(act: () => void): void {
  if (process.getuid?.() !== 0) {
    act();
    return;
  }
  chmodSync(base, 0o755);
  process.seteuid?.(65534);
  try {
    act();
  } finally {
    process.seteuid?.(0);
  }
}

function chmodIfMine(path: string, mode: number): void {
  if (statSync(path).uid === process.geteuid?.()) chmodSync(path, mode);
}

/** Puts a link in the place of a folder and the folder back, each for up to a fifth of a millisecond. */
const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const [app, outside] = process.argv.slice(1);
process.chdir(app);
process.stdout.write('ready');
function dwell() {
  for (const end = process.hrtime.bigint() + BigInt(Math.floor(Math.random() * 200000)); process.hrtime.bigint() < end; );
}
for (;;) {
  renameSync('d', 'd.real');
  symlinkSync(outside, 'd');
  dwell();
  unlinkSync('d');
  renameSync('d.real', 'd');
  dwell();
}`;

function stop(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null) resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function snapshot(): string[] {
  const names = readdirSync(base, { recursive: true, withFileTypes: true });
  return names
    .map(entry => `${entry.parentPath}/${entry.name}`)
    .map(path => (statSync(path).isFile() ? `${path}: ${readFileSync(path, 'utf8')}` : path))
    .sort();
}
