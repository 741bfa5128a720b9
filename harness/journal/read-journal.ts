// Reading a journal: every record, and what is wrong with the file, if anything.

import { existsSync, readFileSync } from 'node:fs';
import { LonghaulError } from '../base/errors.js';
import { parseLine } from './record-line.js';
import { JOURNAL_VERSION, type JournalRecord } from './records.js';

export interface JournalContent {
  records: JournalRecord[];
  /** Bytes up to the end of the last whole record; what lies behind it is torn. */
  goodBytes: number;
  /** Bytes of a torn last line: a write that a crash cut off. */
  tornBytes: number;
}

/**
 * All records of the file; an absent file is an empty journal.
 * @throws LonghaulError `damage` when a line before the last is not whole or a number is missing, naming the offset,
 *   and `refused` when a newer Longhaul wrote it. Nothing is guessed and nothing is changed.
 */
export function readJournal(path: string): JournalContent {
  if (!existsSync(path)) return { records: [], goodBytes: 0, tornBytes: 0 };
  return parseJournal(readFileSync(path), path);
}

/** As `readJournal`, from bytes. */
export function parseJournal(bytes: Buffer, path: string): JournalContent {
  const records: JournalRecord[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const newline = bytes.indexOf(10, offset);
    if (newline < 0) break;
    const record = parseLine(bytes.toString('utf8', offset, newline));
    // A last line that has its newline but is not whole cannot come from a cut append: it is damage like any other.
    if (!record) throw damage(path, offset, 'its checksum does not fit');
    if (record.v > JOURNAL_VERSION) {
      throw new LonghaulError(
        'refused',
        `${path} was written by a newer Longhaul (journal version ${record.v}, this one knows ${JOURNAL_VERSION}); nothing was changed. Use the newer version.`,
      );
    }
    if (record.seq !== records.length + 1) {
      throw damage(path, offset, `it says number ${record.seq} where ${records.length + 1} belongs`);
    }
    records.push(record);
    offset = newline + 1;
  }
  return { records, goodBytes: offset, tornBytes: bytes.length - offset };
}

function damage(path: string, offset: number, what: string): LonghaulError {
  return new LonghaulError(
    'damage',
    `The journal ${path} is damaged at byte ${offset}: ${what}. Nothing was changed; restore the file from a backup. Without one this run cannot go on; a new one needs a folder of its own.`,
  );
}
