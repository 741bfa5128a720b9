// What a person reads while a run goes on: on a terminal a line for each tool call, in a file a line for each session.

import { count, dollars, moment, span } from '../base/amounts.js';
import type { JournalRecord } from '../journal/records.js';
import { passedCount, type RunState } from '../journal/run-state.js';
import { asPageRecord } from '../pager/records.js';
import { cutColumns } from './columns.js';
import type { InkOptions } from './ink.js';
import { plainLine } from './plain-text.js';
import { storyTeller } from './story.js';
import type { Output } from './terminal.js';
import { endInWords, epochSentence, inWords, topic, verdictInWords } from './words.js';

export interface NarratorOptions extends InkOptions {
  /** `calls`: the story as `log` tells it. `sessions`: a line at the end of each session, verdicts, and what is rare. */
  detail: 'calls' | 'sessions';
}

/** A function from a record, and the state after it, to lines (joined by line feeds) or null. One for each run. */
export type Narrator = (record: JournalRecord, state: RunState) => string | null;

export function narrator(
  options: NarratorOptions = { detail: 'sessions', width: LONGEST_LINE, color: false },
): Narrator {
  if (options.detail === 'sessions') return sessionNarrator(options);
  const tell = storyTeller(options);
  return (record, state) => {
    const lines = tell(record, state);
    return lines.length === 0 ? null : lines.join('\n');
  };
}

/** The narrator that fits where its lines go. */
export function narratorFor(output: Output): Narrator {
  if (!output.terminal) return narrator();
  const { color } = output;
  return narrator({
    detail: 'calls',
    color,
    get width() {
      return output.width;
    },
  });
}

/** A log file is read with tools that do not wrap: long, but not without end. */
export const LONGEST_LINE = 400;
/** Waits for the API are told at most this often: an outage of a night would be hundreds of lines. */
const WAIT_LINE_EVERY_MS = 3_600_000;

function sessionNarrator({ width, timeZone }: NarratorOptions): Narrator {
  let began: { topic: string; spentUsd: number; at: string } | null = null;
  let waitToldAt = Number.NEGATIVE_INFINITY;

  const summary = (record: JournalRecord, state: RunState, session: number, how: string) => {
    const about = began?.topic ? `, ${began.topic}` : '';
    const parts = [
      `${passedCount(state)} of ${state.total} features pass`,
      ...('turns' in record ? [count(record.turns, 'turn')] : []),
      ...(began === null ? [] : [span(Date.parse(record.at) - Date.parse(began.at))]),
      ...(began === null ? [] : [dollars(state.spentUsd - began.spentUsd)]),
      `${dollars(state.spentUsd)} in all`,
    ];
    began = null;
    return `session ${session}${about}: ${how}, ${parts.join(', ')}`;
  };

  const tell = (record: JournalRecord, state: RunState): string | null => {
    switch (record.type) {
      case 'prefix.begin':
        return epochSentence(record);
      case 'session.begin':
        began = {
          topic: topic(record),
          spentUsd: state.spentUsd,
          at: record.at,
        };
        return null;
      case 'session.end':
        return `${summary(record, state, record.session, endInWords(record.reason, record.outcome, record.blockedBy))}; ${record.summary}${left(record)}`;
      case 'session.abandoned':
        return `${summary(record, state, record.session, 'cut off by a crash')}${left(record)}`;
      case 'commit.done':
        return record.purpose.kind === 'flip'
          ? `${record.purpose.feature} passes, commit ${record.commit.slice(0, 7)}`
          : null;
      case 'verify.result':
        // A green one is told by its commit.
        return record.verdict === 'green'
          ? changedSpecsLine(record.changedSpecs)
          : `${record.feature} is not verified, ${verdictInWords(record.verdict)}: ${record.summary}`;
      case 'commit.void':
        return `HEAD moved to ${record.head.slice(0, 7)} meanwhile: nothing was committed`;
      case 'init.rejected':
        return `the start is not accepted yet: ${record.reasons.join(' ')}`;
      case 'init.done':
        return `the start is accepted: ${count(record.total, 'feature')} to build`;
      case 'spec.restored':
        return 'app_spec.md was put back: only a person changes it';
      case 'list.restored':
        return `features.json was put back: ${record.found}`;
      case 'init.restored':
        return `init.sh was put back: ${record.found}`;
      case 'person.commits':
        return `${count(record.count, 'commit')} made by hand since the last session: kept; all specs that passed are run again`;
      case 'suite.replayed':
        return `${count(record.specs, 'spec')} run again: ${record.broken.length === 0 ? 'all green' : record.broken.join(' ')}`;
      case 'feature.set_aside':
        return `${record.feature} is set aside after ${count(record.attempts, 'session')}; it is tried once more after the others`;
      case 'wait.begin': {
        const now = Date.parse(record.at);
        if (now - waitToldAt < WAIT_LINE_EVERY_MS) return null;
        waitToldAt = now;
        return `waiting for the API (${inWords(record.fault)}: ${record.message}) until ${moment(record.untilMs, timeZone)}`;
      }
      case 'run.parked':
        return `parked, ${inWords(record.reason)}: ${record.detail}`;
      default:
        return pageLine(record);
    }
  };

  return (record, state) => {
    const line = tell(record, state);
    return line === null ? null : cutColumns(`${moment(record.at, timeZone)} ${plainLine(line)}`, width);
  };
}

function changedSpecsLine(ids: string[] | undefined): string | null {
  return ids ? `specs that passed were changed, and proved anew: ${ids.join(', ')}` : null;
}

function pageLine(record: JournalRecord): string | null {
  const page = asPageRecord(record);
  if (page?.type === 'page.sent') return `a person was paged by ${page.channel}`;
  if (page?.type === 'page.failed')
    return `the page could not be sent by ${page.channel}: ${page.error}; it is kept`;
  return null;
}

function left({ salvage, did }: { salvage: string | null; did: string[] }): string {
  return [...(salvage ? [`its unfinished files are saved as ${salvage}`] : []), ...did]
    .map(each => `; ${each}`)
    .join('');
}
