import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { openJournal } from '../../harness/journal/journal.js';
import { parseJournal, readJournal } from '../../harness/journal/read-journal.js';
import { formatLine } from '../../harness/journal/record-line.js';
import type { JournalEvent, JournalRecord } from '../../harness/journal/records.js';

const EVENTS: JournalEvent[] = [
  { type: 'run.begin', runId: 'r1', branch: 'main', specSha256: 'abc', longhaul: '0.1.0', files: [] },
  { type: 'session.begin', session: 1, kind: 'initializer', feature: null, title: '', base: '' },
  { type: 'init.rejected', session: 1, reasons: ['a "quoted" reason', 'with ümlaut and 🎈'] },
  { type: 'turn.end', session: 1, turn: 1, stopReason: 'tool_use', contextTokens: 10, tools: ['bash'] },
];

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'state', 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(events: readonly JournalEvent[]): JournalRecord[] {
  const journal = openJournal(path, systemClock);
  const records = events.map(event => journal.append(event));
  journal.close();
  return records;
}

describe('a journal', () => {
  it('gives back what was written, numbered from 1', () => {
    const written = write(EVENTS);
    const { records } = readJournal(path);
    expect(records).toEqual(written);
    expect(records.map(record => record.seq)).toEqual([1, 2, 3, 4]);
  });

  it('counts a generation for each process that opens it', () => {
    write(EVENTS.slice(0, 2));
    write(EVENTS.slice(2));
    expect(readJournal(path).records.map(record => record.gen)).toEqual([1, 1, 2, 2]);
  });

  it('is empty when there is no file', () => {
    expect(readJournal(path)).toEqual({ records: [], goodBytes: 0, tornBytes: 0 });
  });

  it('keeps every whole record when it was cut off at any byte', () => {
    write(EVENTS);
    const bytes = readFileSync(path);
    const ends = [...bytes].flatMap((byte, index) => (byte === 10 ? [index + 1] : []));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const content = parseJournal(bytes.subarray(0, cut), path);
      const whole = ends.filter(end => end <= cut).length;
      expect(content.records).toHaveLength(whole);
      expect(content.goodBytes + content.tornBytes).toBe(cut);
    }
  });

  it('cuts a torn last line off when it is opened, says so in a record, and goes on behind it', () => {
    write(EVENTS.slice(0, 2));
    appendFileSync(path, '{"v":1,"seq":3,"gen');
    const journal = openJournal(path, systemClock);
    journal.append({ type: 'process.end', exitCode: 0 });
    journal.close();
    const { records, tornBytes } = readJournal(path);
    expect(tornBytes).toBe(0);
    expect(records.slice(2)).toMatchObject([{ type: 'journal.cut', bytes: 19 }, { type: 'process.end' }]);
  });

  it('refuses a file in which any byte before the last line was changed, naming the offset of the line', () => {
    write(EVENTS.slice(0, 3));
    const bytes = readFileSync(path);
    const second = bytes.indexOf(10) + 1;
    for (let at = second; at < bytes.indexOf(10, second); at += 3) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect(() => parseJournal(damaged, 'J')).toThrow(
        expect.objectContaining({ code: 'damage', message: expect.stringContaining(`at byte ${second}`) }),
      );
    }
  });

  it('refuses a file from which a whole record was taken', () => {
    write(EVENTS);
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, [lines[0], lines[2], lines[3], ''].join('\n'));
    expect(() => readJournal(path)).toThrow(/it says number 3 where 2 belongs/);
  });

  it('refuses a journal of a newer version and changes nothing', () => {
    const [record] = write(EVENTS.slice(0, 1));
    writeFileSync(path, `${formatLine({ ...(record as JournalRecord), v: 99 })}\n`);
    const before = readFileSync(path);
    expect(() => openJournal(path, systemClock)).toThrow(expect.objectContaining({ code: 'refused' }));
    expect(readFileSync(path)).toEqual(before);
  });

  it('never writes again after a write has failed', () => {
    const journal = openJournal(path, systemClock);
    journal.append(EVENTS[0] as JournalEvent);
    journal.close(); // the descriptor is gone: the next write fails as on a broken disk
    expect(() => journal.append(EVENTS[1] as JournalEvent)).toThrow(
      expect.objectContaining({ code: 'disk' }),
    );
    expect(() => journal.append(EVENTS[2] as JournalEvent)).toThrow(
      expect.objectContaining({ code: 'disk' }),
    );
    truncateSync(path, readFileSync(path).length);
    expect(readJournal(path).records).toHaveLength(1);
  });
});
