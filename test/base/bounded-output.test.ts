import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BoundedOutput, type BoundedOutputOptions } from '../../harness/base/bounded-output.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhaul-output-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function collect(options: BoundedOutputOptions, chunks: Iterable<Uint8Array>) {
  const output = new BoundedOutput(options);
  for (const chunk of chunks) output.write(chunk);
  return output.finish();
}

/** What programs print, and what they should not. */
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes)),
  fc
    .constantFrom(
      '🦀',
      'é',
      '漢字',
      '\x1b[31m',
      '\x1b]8;;x\x07',
      '\r',
      '\r\n',
      '\n',
      '\0',
      '\b',
      'a line\n',
      '\x1b',
    )
    .map(text => Buffer.from(text)),
  fc.string({ unit: 'grapheme', maxLength: 60 }).map(text => Buffer.from(text)),
);
const bytes = fc.array(piece, { maxLength: 200 }).map(pieces => Buffer.concat(pieces));

function cutAt(whole: Buffer, cuts: number[]): Buffer[] {
  const at = [...cuts.map(cut => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b);
  return at.map((end, index) => whole.subarray(at[index - 1] ?? 0, end));
}

describe('BoundedOutput', () => {
  test('what fits is kept whole, and no file is made', () => {
    const path = join(folder, 'out.txt');
    const kept = collect({ limit: { characters: 100 }, spill: { path } }, [Buffer.from('one\ntwo 🦀\n')]);
    expect(kept).toEqual({ text: 'one\ntwo 🦀\n', totalBytes: 13, omittedBytes: 0, spillPath: null });
    expect(existsSync(path)).toBe(false);
  });

  test('the same bytes give the same result in whatever chunks they come', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.nat(), { maxLength: 30 }),
        fc.constantFrom(64, 300, 700, undefined),
        fc.constantFrom({ characters: 400 }, { bytes: 400 }),
        (whole, cuts, windowBytes, limit) => {
          const options = { limit, ...(windowBytes === undefined ? {} : { windowBytes }) };
          const atOnce = collect(options, [whole]);
          expect(collect(options, cutAt(whole, cuts))).toEqual(atOnce);
          expect(atOnce.totalBytes).toBe(whole.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('the text keeps its limit, is valid Unicode and has no control characters', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.constantFrom(64, 300, undefined),
        fc.constantFrom({ characters: 200 }, { bytes: 201 }),
        (whole, windowBytes, limit) => {
          const { text } = collect({ limit, ...(windowBytes === undefined ? {} : { windowBytes }) }, [whole]);
          expect('bytes' in limit ? Buffer.byteLength(text) : text.length).toBeLessThanOrEqual(201);
          expect(/[\ud800-\udfff]/u.test(text)).toBe(false);
          expect(/[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(text)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([0, 1, 2, 3])('no four-byte character is split, whatever the cut falls on (%i)', shift => {
    const whole = Buffer.from(`${'x'.repeat(shift)}${'🦀'.repeat(60_000)}`);
    for (const limit of [{ characters: 1_000 + shift }, { bytes: 1_000 + shift }]) {
      const { text } = collect({ limit, windowBytes: 10_001 }, [whole]);
      expect(text).toMatch(/^x*🦀+\n\[… [\d,]+ bytes left out here …\]\n🦀+$/u);
    }
  });

  test.each([100, 101, 102, 103])('nor where the window of %i bytes begins and ends', windowBytes => {
    const { text } = collect({ limit: { characters: 1_000 }, windowBytes }, [Buffer.from('🦀'.repeat(500))]);
    expect(text).toMatch(/^🦀+\n\[… 1,[\d,]+ bytes left out here …\]\n🦀+$/u);
  });

  test('it says how much is left out, and the numbers add up', () => {
    const { text, omittedBytes } = collect({ limit: { characters: 500 } }, [Buffer.alloc(1_000_000, 'z')]);
    const shown = text.split('z').length - 1;
    expect(omittedBytes).toBe(1_000_000 - shown);
    expect(text).toContain(`[… ${omittedBytes.toLocaleString('en-US')} bytes left out here …]`);
    expect(text.length).toBeGreaterThan(490);
  });

  test('it cuts between lines where there are lines', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`);
    const { text } = collect({ limit: { characters: 600 } }, [Buffer.from(lines.join(''))]);
    for (const line of text.split('\n')) expect(line).toMatch(/^(line \d+|\[… .* …\]|)$/);
    expect(text).toMatch(/^line 0\n/);
    expect(text).toMatch(/line 999\n$/);
  });

  test('a longer output is whole in the file, raw', () => {
    const path = join(folder, 'new', 'out.txt');
    const raw = Buffer.from(`\x1b[1m${'word '.repeat(1_000)}\0end`);
    const { text, spillPath } = collect({ limit: { characters: 400 }, spill: { path } }, [raw]);
    expect(spillPath).toBe(path);
    expect(readFileSync(path)).toEqual(raw);
    expect(text).toContain(`bytes left out here; the whole output is in ${path} …]`);
  });

  test.each([1, 7, 1_000, 100_000])('the file holds the first bytes up to its cap, in chunks of %i', size => {
    const path = join(folder, 'out.txt');
    const raw = Buffer.from(Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join(''));
    const chunks = cutAt(
      raw,
      Array.from({ length: Math.ceil(raw.length / size) - 1 }, (_, index) => (index + 1) * size),
    );
    const { text, spillPath } = collect(
      { limit: { characters: 400 }, windowBytes: 1_000, spill: { path, capBytes: 50_000 } },
      chunks,
    );
    expect(spillPath).toBe(path);
    expect(readFileSync(path)).toEqual(raw.subarray(0, 50_000));
    expect(text).toContain(`the first 50,000 bytes of the output are in ${path} …]`);
  });

  test('a link that lies where the file would be is not followed', () => {
    const target = join(folder, 'precious');
    writeFileSync(target, 'precious');
    symlinkSync(target, join(folder, 'out.txt'));
    const { text, spillPath } = collect(
      { limit: { characters: 400 }, spill: { path: join(folder, 'out.txt') } },
      [Buffer.alloc(1_000, 'z')],
    );
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(spillPath).toBeNull();
    expect(text).toContain('the rest could not be saved: EEXIST');
  });

  test('memory stays bounded while hundreds of MB pass through', () => {
    const output = new BoundedOutput({
      limit: { characters: 24_000 },
      spill: { path: join(folder, 'out.txt') },
    });
    const chunk = Buffer.alloc(64 * 1024, 'a line of output\n');
    const before = process.memoryUsage();
    for (let sent = 0; sent < 300_000_000; sent += chunk.length) output.write(chunk);
    const { text } = output.finish();
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(20_000_000);
    expect(text.length).toBeLessThanOrEqual(24_000);
    expect(readFileSync(join(folder, 'out.txt')).length).toBe(4_000_000);
  });
});
