// The append-only journal: one writer, one line a record, on the disk before anything that depends on it.

import { closeSync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '../base/atomic-file.js';
import type { Clock } from '../base/clock.js';
import { LonghaulError, messageOf } from '../base/errors.js';
import { readJournal } from './read-journal.js';
import { formatLine } from './record-line.js';
import { JOURNAL_VERSION, type JournalEvent, type JournalRecord } from './records.js';

/** What the rest of the harness needs of a journal; tests wrap it to stop a run at a chosen record. */
export interface Journal {
  /** All records so far, oldest first. */
  readonly records: readonly JournalRecord[];
  /** This process's generation. */
  readonly generation: number;
  /**
   * Writes one record; when it returns, the record survives a power cut, unless its type is one that only informs
   * (turn.end, tool.end, wait.end): those may be lost with the process.
   * @throws LonghaulError `disk`; the journal is unusable afterwards and every later call throws too.
   */
  append(event: JournalEvent): JournalRecord;
  close(): void;
}

/** Nothing is decided by these, so they are spared the wait for the disk (about 0.5 ms each). */
const INFORMING: ReadonlySet<JournalEvent['type']> = new Set(['turn.end', 'tool.end', 'wait.end']);

/**
 * Opens the journal for writing, cutting off a torn last line (and recording that). The caller holds the run's lock.
 * @throws LonghaulError as `readJournal` does, and `disk`.
 */
export function openJournal(path: string, clock: Clock): Journal {
  const content = readJournal(path);
  mkdirSync(dirname(path), { recursive: true });
  const isNew = content.records.length === 0;
  let fd: number;
  try {
    fd = openSync(path, 'a', 0o600);
    if (content.tornBytes > 0) {
      ftruncateSync(fd, content.goodBytes);
      fdatasyncSync(fd);
    }
    if (isNew) syncFolder(dirname(path));
  } catch (error) {
    throw diskError(path, error);
  }
  const journal = new FileJournal(path, fd, content.records, clock);
  if (content.tornBytes > 0) journal.append({ type: 'journal.cut', bytes: content.tornBytes });
  return journal;
}

class FileJournal implements Journal {
  readonly generation: number;
  readonly #records: JournalRecord[];
  #broken: LonghaulError | undefined;

  constructor(
    readonly path: string,
    readonly fd: number,
    records: JournalRecord[],
    readonly clock: Clock,
  ) {
    this.#records = records;
    this.generation = (records.at(-1)?.gen ?? 0) + 1;
  }

  get records(): readonly JournalRecord[] {
    return this.#records;
  }

  append(event: JournalEvent): JournalRecord {
    if (this.#broken) throw this.#broken;
    const record: JournalRecord = {
      v: JOURNAL_VERSION,
      seq: this.#records.length + 1,
      gen: this.generation,
      at: new Date(this.clock.now()).toISOString(),
      ...event,
    };
    try {
      writeAll(this.fd, Buffer.from(`${formatLine(record)}\n`));
      if (!INFORMING.has(event.type)) fdatasyncSync(this.fd);
    } catch (error) {
      // After a failed fsync the kernel may have dropped the pages: what is on disk is unknown, so nothing more is written.
      this.#broken = diskError(this.path, error);
      throw this.#broken;
    }
    this.#records.push(record);
    return record;
  }

  close(): void {
    closeSync(this.fd);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

function diskError(path: string, cause: unknown): LonghaulError {
  return new LonghaulError(
    'disk',
    `The journal ${path} cannot be written (${messageOf(cause)}); the run stops here. Free space or fix the disk, then start the same command again.`,
    { cause },
  );
}
