// A journal with its state at hand: every record is applied the moment it is on disk.

import type { Journal } from './journal.js';
import type { JournalEvent, JournalRecord } from './records.js';
import { applyRecord, reduce } from './reduce.js';
import type { RunState } from './run-state.js';

export class LiveJournal implements Journal {
  /** Always equals `reduce(records)`. Read it; never write to it. */
  readonly state: RunState;
  readonly #journal: Journal;
  /** Told of each record after it is on disk and applied. Must not throw. */
  onRecord: (record: JournalRecord) => void = () => {};

  constructor(journal: Journal) {
    this.#journal = journal;
    this.state = reduce(journal.records);
  }

  get records(): readonly JournalRecord[] {
    return this.#journal.records;
  }

  get generation(): number {
    return this.#journal.generation;
  }

  append(event: JournalEvent): JournalRecord {
    const record = this.#journal.append(event);
    applyRecord(this.state, record);
    this.onRecord(record);
    return record;
  }

  close(): void {
    this.#journal.close();
  }
}
