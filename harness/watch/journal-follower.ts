// Reads a journal that another process writes: each call gives what is new, whole records only. Changes nothing.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LonghaulError, systemCode } from '../base/errors.js';
import { readJournal } from '../journal/read-journal.js';
import { parseLine } from '../journal/record-line.js';
import { JOURNAL_VERSION, type JournalRecord } from '../journal/records.js';

const NEWLINE = 10;

export class JournalFollower {
  readonly #path: string;
  /** Behind the last whole record. */
  #offset = 0;
  #seq = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Records that came since the last call. @throws LonghaulError as `readJournal` does, and `damage` when the file is gone. */
  read(): JournalRecord[] {
    if (this.#offset === 0) return this.#readAll();
    const bytes = this.#newBytes();
    const records: JournalRecord[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const record = parseLine(bytes.toString('utf8', start, end));
      // Told by the one place that knows the sentences: it reads the whole file and throws.
      if (record?.seq !== this.#seq + 1 || record.v > JOURNAL_VERSION) return this.#readAfresh();
      records.push(record);
      this.#seq++;
      start = end + 1;
    }
    this.#offset += start;
    return records;
  }

  #readAll(): JournalRecord[] {
    const { records, goodBytes } = readJournal(this.#path);
    this.#offset = goodBytes;
    this.#seq = records.length;
    return records;
  }

  #readAfresh(): never {
    readJournal(this.#path);
    throw new LonghaulError(
      'damage',
      `The journal ${this.#path} is not the one that was read before; start the command again.`,
    );
  }

  #newBytes(): Buffer {
    let fd: number;
    try {
      fd = openSync(this.#path, 'r');
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      throw new LonghaulError('damage', `The journal ${this.#path} is gone; the app was moved or removed.`);
    }
    try {
      const { size } = fstatSync(fd);
      if (size < this.#offset) return this.#readAfresh();
      const bytes = Buffer.alloc(size - this.#offset);
      let done = 0;
      while (done < bytes.length) {
        const read = readSync(fd, bytes, done, bytes.length - done, this.#offset + done);
        if (read === 0) break;
        done += read;
      }
      return bytes.subarray(0, done);
    } finally {
      closeSync(fd);
    }
  }
}
