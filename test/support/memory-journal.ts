// A journal of one process in memory, on top of what earlier ones left, that dies where a test says.

import type { Journal } from '../../harness/journal/journal.js';
import { JOURNAL_VERSION, type JournalEvent, type JournalRecord } from '../../harness/journal/records.js';

export class Died extends Error {}

export class MemoryJournal implements Journal {
  readonly generation: number;
  readonly records: JournalRecord[];
  /** The process dies at the next record of this type: before it is on disk, or after. */
  diesAt: { type: JournalEvent['type']; when: 'before' | 'after' } | null = null;
  #dead = false;

  /** @param disk the records of all processes; appended to. */
  constructor(disk: JournalRecord[]) {
    this.records = disk;
    this.generation = (disk.at(-1)?.gen ?? 0) + 1;
  }

  /** What is still under way in it writes nothing any more. */
  die(): void {
    this.#dead = true;
  }

  append(event: JournalEvent): JournalRecord {
    if (this.#dead) throw new Died();
    const dies = this.diesAt?.type === event.type ? this.diesAt.when : null;
    if (dies === 'before') this.#die();
    const seq = this.records.length + 1;
    const at = new Date(1_700_000_000_000 + seq * 1_000).toISOString();
    const record: JournalRecord = { v: JOURNAL_VERSION, seq, gen: this.generation, at, ...event };
    this.records.push(record);
    if (dies === 'after') this.#die();
    return record;
  }

  close(): void {}

  #die(): never {
    this.#dead = true;
    throw new Died();
  }
}
