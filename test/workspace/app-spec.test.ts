import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAppSpec } from '../../harness/workspace/app-spec.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spec-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);

describe('the app spec', () => {
  it('is a text, or a folder with a text and what belongs to it', () => {
    mkdirSync(at('looks'));
    writeFileSync(at('Spec.md'), '# Größe\n');
    writeFileSync(at('looks/start.png'), 'x');
    writeFileSync(at('.hidden'), 'x');
    symlinkSync(at('nowhere'), at('gone.png'));
    execFileSync('mkfifo', [at('pipe')]);
    expect(readAppSpec(folder)).toMatchObject({ text: '# Größe\n', files: [{ path: 'looks/start.png' }] });
    expect(readAppSpec(at('Spec.md'))).toMatchObject({ text: '# Größe\n', files: [] });
  });

  it.each<[what: string, write: () => void, sentence: RegExp]>([
    ['a folder without a text', () => writeFileSync(at('start.png'), 'x'), /holds no spec\.md/],
    ['a text without words', () => writeFileSync(at('spec.md'), ' \n\t'), /is empty/],
    [
      'a text in another encoding',
      () => writeFileSync(at('spec.md'), '# x\n', 'utf16le'),
      /is not a text in UTF-8/,
    ],
    ['bytes that are no text', () => writeFileSync(at('spec.md'), Buffer.from([0xff, 0xd8])), /not a text/],
    ['a pipe, without waiting for it', () => execFileSync('mkfifo', [at('spec.md')]), /is not a file/],
    ['a text without end', () => writeFileSync(at('spec.md'), 'x'.repeat(2 ** 20 + 1)), /at most 1 MB/],
  ])('is refused when it is %s', (_, write, sentence) => {
    write();
    expect(() => readAppSpec(folder)).toThrow(sentence);
  });

  it('is refused when the folder holds several texts and none is named for it', () => {
    for (const name of ['a.md', 'b.md']) writeFileSync(at(name), name);
    expect(() => readAppSpec(folder)).toThrow(/holds 2 texts \(a\.md, b\.md\)/);
  });
});
