// What a person reads while a run goes on: one line for each record that tells something. Pure but for its memory of money.

import type { JournalRecord } from '../journal/records.js';
import type { RunState } from '../journal/run-state.js';

/** A function from a record, and the state after it, to a line or null. One for each run. */
export function narrator(): (record: JournalRecord, state: RunState) => string | null {
  let spentBefore = 0;
  return (record, state) => {
    switch (record.type) {
      case 'session.begin':
        spentBefore = state.spentUsd;
        return `session ${record.session}: ${record.feature ? `${record.feature} ${record.title}` : record.title}`;
      case 'init.rejected':
        return `  the start is not accepted yet: ${record.reasons.join(' ')}`;
      case 'init.done':
        return `  the start is accepted: ${record.total} ${record.total === 1 ? 'feature' : 'features'} to build`;
      case 'verify.result':
        return `  verification ${record.verdict}: ${record.summary}`;
      case 'list.restored':
        return `  features.json was put back: ${record.found}`;
      case 'commit.done':
        return record.purpose.kind === 'flip'
          ? `  ${record.purpose.feature} passes, commit ${record.commit.slice(0, 7)}`
          : null;
      case 'commit.void':
        return `  HEAD moved to ${record.head.slice(0, 7)} meanwhile: nothing was committed`;
      case 'wait.begin':
        return `  the API cannot answer now (${record.fault}: ${record.message}); next try at ${new Date(record.untilMs).toISOString()}`;
      case 'session.end':
        return `session ${record.session} ended: ${record.summary} (${record.turns} turns, $${(state.spentUsd - spentBefore).toFixed(2)})${left(record)}`;
      case 'session.abandoned':
        return `session ${record.session} was cut off by a crash${left(record)}`;
      case 'feature.set_aside':
        return `${record.feature} is set aside after ${record.attempts} sessions; it is tried once more after the others`;
      default:
        return null;
    }
  };
}

function left({ salvage, did }: { salvage: string | null; did: string[] }): string {
  return [...(salvage ? [`its unfinished files are saved as ${salvage}`] : []), ...did]
    .map(each => `; ${each}`)
    .join('');
}
