// Which cap a start gets, and why: a run keeps its own from start to start until a flag names another.

import { dollars } from '../base/amounts.js';
import { operatorSettings } from '../config/settings.js';
import type { JournalRecord } from '../journal/records.js';

export interface CapInForce {
  /** The run's own, where no flag names another; else null. */
  kept: number | null;
  /** Where the cap comes from, for the first line of a run. */
  why: string;
}

/** @param flag as given with `--budget`. @param records of the run; empty for a new one. @param file the operator's settings file. */
export function capInForce(
  flag: number | undefined,
  records: readonly JournalRecord[],
  file: string,
): CapInForce {
  const kept = capOfRun(records);
  if (flag !== undefined) return { kept: null, why: 'by --budget' };
  const inFile = operatorSettings(file).budgetUsd;
  if (kept === null) {
    const where = inFile === undefined ? 'the default' : `budgetUsd of ${file}`;
    return { kept, why: `${where}; --budget sets another` };
  }
  const passedOver =
    inFile === undefined || inFile === kept
      ? ''
      : `, while budgetUsd ${dollars(inFile)} of ${file} is for new runs`;
  return { kept, why: `kept from the last start${passedOver}; --budget sets another` };
}

/** As the journal last had it; null for a new run. */
function capOfRun(records: readonly JournalRecord[]): number | null {
  const set = records.findLast(
    record =>
      record.type === 'process.begin' || (record.type === 'person.resume' && record.budgetUsd !== null),
  );
  return set && 'budgetUsd' in set ? set.budgetUsd : null;
}
