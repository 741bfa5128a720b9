import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { openJournal } from '../../harness/journal/journal.js';
import { JournalFollower } from '../../harness/watch/journal-follower.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'follow-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sequence = (follower: JournalFollower) => follower.read().map(({ seq }) => seq);

describe('following a journal', () => {
  it('gives each record once, as it comes, and waits for the rest of a line', () => {
    const journal = openJournal(path, systemClock);
    const follower = new JournalFollower(path);
    expect(follower.read()).toEqual([]);
    for (let pid = 1; pid <= 3; pid++) journal.append({ type: 'process.end', exitCode: pid });
    expect(sequence(follower)).toEqual([1, 2, 3]);
    expect(sequence(follower)).toEqual([]);
    journal.append({ type: 'process.end', exitCode: 4 });
    const whole = readFileSync(path);
    truncateSync(path, whole.length - 20);
    expect(sequence(follower)).toEqual([]);
    appendFileSync(path, whole.subarray(-20));
    journal.append({ type: 'process.end', exitCode: 5 });
    expect(sequence(follower)).toEqual([4, 5]);
    journal.append({ type: 'process.end', exitCode: 6 });
    expect(sequence(follower)).toEqual([6]);
    journal.close();
  });

  it('gives what a next process appended after it cut a torn line', () => {
    const first = openJournal(path, systemClock);
    first.append({ type: 'process.end', exitCode: 1 });
    first.close();
    const follower = new JournalFollower(path);
    expect(sequence(follower)).toEqual([1]);
    appendFileSync(path, '{"v":1,"seq":2,"type":"torn ü');
    expect(sequence(follower)).toEqual([]);
    openJournal(path, systemClock).close();
    expect(follower.read()).toMatchObject([{ seq: 2, type: 'journal.cut' }]);
  });

  it.each([
    ['a damaged line', () => appendFileSync(path, '{"no":"sum"}\n'), /damaged at byte/],
    ['another journal in its place', () => writeFileSync(path, ''), /not the one that was read before/],
    ['no journal any more', () => rmSync(path), /is gone/],
  ])('ends with a sentence at %s', (_, harm, sentence) => {
    const journal = openJournal(path, systemClock);
    journal.append({ type: 'process.end', exitCode: 1 });
    const follower = new JournalFollower(path);
    follower.read();
    harm();
    expect(() => follower.read()).toThrow(sentence);
    journal.close();
  });
});
