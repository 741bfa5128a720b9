// The zip reader on files made here; real traces are read in spec-runner.test.ts.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openZip } from '../../harness/browser/read-zip.js';

const LIMITS = { archiveBytes: 100_000, entryBytes: 10_000 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zip-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  name: string;
  content: Buffer;
  method: number;
}

/** As Playwright's writer does it: sizes of an entry stand in the list at the end only. */
function zipOf(entries: Packed[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, content, method } of entries) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    local.writeUInt16LE(4, 28);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt16LE(2, 30);
    entry.writeUInt32LE(at, 42);
    list.push(entry, Buffer.from(name), Buffer.alloc(2));
    locals.push(local, Buffer.from(name), Buffer.alloc(4), content);
    at += 30 + Buffer.byteLength(name) + 4 + content.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, ...list, end, Buffer.from(comment)]);
}

function opened(bytes: Buffer) {
  const path = join(folder, 'file.zip');
  writeFileSync(path, bytes);
  return openZip(path, LIMITS);
}

const stored = (name: string, text: string): Packed => ({ name, content: Buffer.from(text), method: 0 });
const deflated = (name: string, text: string): Packed => ({ name, content: deflateRawSync(text), method: 8 });

describe('a zip file', () => {
  it('gives its stored and packed entries by name', async () => {
    const zip = opened(zipOf([stored('a', 'one'), deflated('b/ü.txt', 'two '.repeat(500))], 'a comment'));
    expect(zip?.names).toEqual(['a', 'b/ü.txt']);
    expect((await zip?.read('a'))?.toString()).toBe('one');
    expect((await zip?.read('b/ü.txt'))?.toString()).toBe('two '.repeat(500));
    expect(await zip?.read('c')).toBeNull();
  });

  it('gives no entry that would unpack to more than the limit', async () => {
    const bomb = deflated('bomb', '0'.repeat(5_000_000));
    expect(bomb.content.length).toBeLessThan(LIMITS.entryBytes);
    const zip = opened(zipOf([bomb, stored('large', 'x'.repeat(10_001))]));
    expect(await zip?.read('bomb')).toBeNull();
    expect(await zip?.read('large')).toBeNull();
  });

  it('gives no entry that is damaged or packed in a way we do not know', async () => {
    const broken = deflated('broken', 'text '.repeat(100));
    broken.content.fill(0xff, 2);
    const zip = opened(zipOf([broken, { ...stored('odd', 'x'), method: 14 }]));
    expect(await zip?.read('broken')).toBeNull();
    expect(await zip?.read('odd')).toBeNull();
  });

  it('is nothing when it is missing, too large, empty, cut off anywhere or not a zip file', () => {
    expect(openZip(join(folder, 'missing.zip'), LIMITS)).toBeNull();
    expect(opened(Buffer.alloc(0))).toBeNull();
    expect(opened(Buffer.from('no zip file, but longer than an end record'))).toBeNull();
    expect(opened(Buffer.alloc(100_001))).toBeNull();
    const whole = zipOf([stored('a', 'one'), deflated('b', 'two')]);
    for (let bytes = 0; bytes < whole.length; bytes++) expect(opened(whole.subarray(0, bytes))).toBeNull();
  });

  it('survives any byte being wrong', async () => {
    const whole = zipOf([stored('a', 'one'), deflated('b', 'two')]);
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const zip = opened(changed);
      for (const name of zip?.names ?? []) await zip?.read(name);
    }
  });
});
