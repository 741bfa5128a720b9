import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { boundedLog } from '../../harness/base/bounded-log.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
  path = join(folder, 'run.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (of = path) => readFileSync(of, 'utf8');

describe('a bounded log', () => {
  it('goes on where an earlier one ended, and only its owner reads it', () => {
    boundedLog(path, 100).write('one\n');
    boundedLog(path, 100).write('two\n');
    expect(read()).toBe('one\ntwo\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('keeps what is new whole, what is old in a second file, and no more than that', () => {
    const log = boundedLog(path, 50);
    for (let n = 10; n < 99; n++) log.write(`line ${n}\n`);
    const kept = (read(`${path}.1`) + read()).trim().split('\n');
    expect(kept.at(-1)).toBe('line 98');
    expect(kept).toEqual(Array.from(kept, (_, index) => `line ${99 - kept.length + index}`));
    for (const file of [path, `${path}.1`]) expect(statSync(file).size).toBeLessThanOrEqual(50);
  });

  it('leaves those who append to the same file in it', () => {
    const fd = openSync(path, 'a');
    const log = boundedLog(path, 20);
    writeSync(fd, 'raw one\n');
    log.write('a line of ours\n');
    writeSync(fd, 'raw two\n');
    closeSync(fd);
    expect(read()).toBe('a line of ours\nraw two\n');
    expect(read(`${path}.1`)).toBe('raw one\n');
  });

  it('stops nobody when its folder is gone', () => {
    const log = boundedLog(path, 20);
    log.write('one\n');
    rmSync(folder, { recursive: true });
    expect(() => log.write('two\n')).not.toThrow();
  });
});
