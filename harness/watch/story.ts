// The journal as a story for people: what was tried, what came back, what it cost. Pure but for what a teller remembers.

import { count, dollars, moment, span } from '../base/amounts.js';
import type { JournalEvent, JournalRecord } from '../journal/records.js';
import { applyRecord } from '../journal/reduce.js';
import { emptyState, passedCount, type RunState } from '../journal/run-state.js';
import type { PageEvent } from '../pager/records.js';
import { block, type InkOptions, paint } from './ink.js';
import { plainLines } from './plain-text.js';
import { endInWords, epochSentence, inWords, topic, verdictInWords } from './words.js';

export interface StoryOptions extends InkOptions {
  /** What the model said in a turn, where it is known. */
  said?: (session: number, turn: number) => string | null;
}

/** Lines for one record, given the state after it. Records come in order; one teller for each journal. */
export type StoryTeller = (record: JournalRecord, state: RunState) => string[];

/** The whole story. */
export function storyLines(records: readonly JournalRecord[], options: StoryOptions): string[] {
  const tell = storyTeller(options);
  const state = emptyState();
  return records.flatMap(record => {
    applyRecord(state, record);
    return tell(record, state);
  });
}

export function storyTeller(options: StoryOptions): StoryTeller {
  const memory: Memory = { spentBefore: null, began: null, waits: null, subjects: new Map(), running: false };
  return (record, state) => {
    const { type } = record as StoryRecord;
    const tell = CHAPTERS[type] as Chapter | undefined;
    return tell ? tell(record, { state, memory, ink: options }) : unknownLines(record, options);
  };
}

/** What later lines need of earlier records. */
interface Memory {
  spentBefore: number | null;
  began: string | null;
  /** A row of waits for the API without an answer between. */
  waits: { count: number; since: string } | null;
  /** Subjects of the commits that green verdicts ask for, by feature. */
  subjects: Map<string, string>;
  /** A process began and its end was not recorded yet. */
  running: boolean;
}

interface Told {
  state: RunState;
  memory: Memory;
  ink: StoryOptions;
}

type StoryRecord = JournalRecord | (PageEvent & Pick<JournalRecord, 'v' | 'seq' | 'gen' | 'at'>);
type Chapter = (record: JournalRecord, told: Told) => string[];

/** Nothing of it belongs into a story. */
const silent = () => [];

const CHAPTERS: {
  readonly [T in (JournalEvent | PageEvent)['type']]?: (
    record: Extract<StoryRecord, { type: T }>,
    told: Told,
  ) => string[];
} = {
  'run.begin': ({ longhaul, runId, branch }, { ink }) =>
    block({ text: `run ${runId} on the branch ${branch}, by Longhaul ${longhaul}`, style: 'faint' }, ink),

  'process.begin': (record, { memory, ink }) => {
    const money = `cap ${dollars(record.budgetUsd)}${record.simulated ? ' (simulated)' : ''}`;
    const text = `process ${record.pid} starts, ${moment(record.at, ink.timeZone)}: ${record.model}, ${money}, walls: ${record.walls}`;
    const crashed = memory.running
      ? block({ text: 'the process before it ended without a word: killed, or crashed', style: 'bad' }, ink)
      : [];
    memory.running = true;
    return ['', ...crashed, ...block({ text, style: 'faint' }, ink)];
  },
  'process.end': (_, { memory }) => {
    memory.running = false;
    return [];
  },
  'prefix.begin': (record, { ink }) => {
    const text = epochSentence(record);
    return text === null ? [] : block({ text, style: 'faint' }, ink);
  },
  'journal.cut': ({ bytes }, { ink }) =>
    block(
      { text: `a torn last line of the journal was cut off (${count(bytes, 'byte')})`, style: 'faint' },
      ink,
    ),

  'session.begin': (record, { state, memory, ink }) => {
    memory.spentBefore = state.spentUsd;
    memory.began = record.at;
    memory.waits = null;
    const title = `session ${record.session}: ${topic(record)}`;
    const passed = state.total > 0 ? `${passedCount(state)} of ${state.total} features pass, ` : '';
    const facts = `${moment(record.at, ink.timeZone)}, ${passed}${dollars(state.spentUsd)} of ${dollars(state.budgetUsd)} spent`;
    return [
      '',
      ...block({ text: title, style: 'strong', most: 4 }, ink),
      ...block({ indent: 2, text: facts, style: 'faint' }, ink),
    ];
  },
  'turn.end': (record, { memory, ink }) => {
    const said = ink.said?.(record.session, record.turn) ?? '';
    return [...endOfWaits(record, memory, ink), ...saidLines(said, ink)];
  },
  'tool.end': ({ ok, ms, tool, brief }, { ink }) =>
    block(
      {
        indent: 2,
        label: `${ok ? 'ok    ' : 'failed'} ${span(ms).padStart(6)}`,
        text: `${tool} ${brief}`,
        style: ok ? 'good' : 'bad',
        most: 1,
      },
      ink,
    ),
  'wait.begin': (record, { memory, ink }) => {
    memory.waits = { count: (memory.waits?.count ?? 0) + 1, since: memory.waits?.since ?? record.at };
    // One line for a row of waits: an outage of a night would be hundreds.
    if (memory.waits.count > 1) return [];
    const text = `(${inWords(record.fault)}: ${record.message}) until ${moment(record.untilMs, ink.timeZone)}`;
    return block({ indent: 2, label: 'waiting for the API', text, style: 'doubtful', rest: 4, most: 3 }, ink);
  },
  'wait.end': silent,
  'spend.reserve': silent,
  'spend.settle': silent,

  'init.rejected': ({ reasons }, { ink }) => [
    ...block({ indent: 2, label: 'the start is not accepted yet:', text: '', style: 'doubtful' }, ink),
    ...reasons.flatMap(text => block({ indent: 4, label: '-', text }, ink)),
  ],
  'init.done': ({ total }, { ink }) =>
    block(
      { indent: 2, text: `the start is accepted: ${count(total, 'feature')} to build`, style: 'good' },
      ink,
    ),

  'verify.begin': silent,
  'verify.result': (record, { memory, ink }) => {
    if (record.flip) memory.subjects.set(record.feature, record.flip.message.split('\n', 1)[0] ?? '');
    const { verdict } = record;
    const style = verdict === 'green' ? 'good' : verdict === 'red' ? 'bad' : 'doubtful';
    const changed = record.changedSpecs ? ` With changed specs of ${record.changedSpecs.join(', ')}.` : '';
    const text = `${record.feature}: ${record.summary}${changed}`;
    return block(
      { indent: 2, label: `verification ${verdictInWords(verdict)},`, text, style, rest: 4, most: 6 },
      ink,
    );
  },
  'list.restored': ({ found }, { ink }) =>
    block({ indent: 2, label: 'features.json was put back:', text: found, style: 'doubtful' }, ink),
  'init.restored': ({ found }, { ink }) =>
    block({ indent: 2, label: 'init.sh was put back:', text: found, style: 'doubtful' }, ink),

  'spec.restored': (_, { ink }) =>
    block({ indent: 2, text: 'app_spec.md was put back: only a person changes it', style: 'doubtful' }, ink),

  'commit.intent': silent,
  'commit.done': ({ purpose, commit }, { state, memory, ink }) => {
    const label = `committed ${commit.slice(0, 7)}:`;
    if (purpose.kind === 'amend') {
      const text = purpose.sentences.join('; ');
      return [
        '',
        ...block({ label: 'a person changed what is asked for:', text, style: 'strong', most: 8 }, ink),
      ];
    }
    if (purpose.kind !== 'flip')
      return block(
        { indent: 2, label, text: COMMITTED[purpose.kind] ?? inWords(purpose.kind), style: 'faint' },
        ink,
      );
    const subject = memory.subjects.get(purpose.feature);
    const text = `${purpose.feature} passes (${passedCount(state)} of ${state.total})${subject ? `, "${subject}"` : ''}`;
    return block({ indent: 2, label, text, style: 'good', rest: 4 }, ink);
  },
  'commit.void': ({ head }, { ink }) =>
    block(
      { indent: 2, text: `HEAD moved to ${head.slice(0, 7)} meanwhile: nothing was committed`, style: 'bad' },
      ink,
    ),

  'session.end': (record, told) => {
    const { ink } = told;
    const label = `ended, ${endInWords(record.reason, record.outcome)}:`;
    const by = record.blockedBy.length > 0 ? `(by ${record.blockedBy.join(', ')}) ` : '';
    const text = `${by}${record.summary}`;
    return [
      ...endOfWaits(record, told.memory, ink),
      ...block({ indent: 2, label, text, style: 'strong', rest: 4, most: 6 }, ink),
      ...block(
        { indent: 4, text: `${count(record.turns, 'turn')}, ${costOf(record, told)}`, style: 'faint' },
        ink,
      ),
      ...leftLines(record, ink),
    ];
  },
  'session.abandoned': (record, told) => [
    ...block(
      { indent: 2, label: `session ${record.session} was cut off by a crash`, text: '', style: 'bad' },
      told.ink,
    ),
    ...(told.memory.began === null
      ? []
      : block({ indent: 4, text: costOf(record, told), style: 'faint' }, told.ink)),
    ...leftLines(record, told.ink),
  ],
  'feature.set_aside': ({ feature, attempts }, { ink }) =>
    block(
      {
        indent: 2,
        text: `${feature} is set aside after ${count(attempts, 'session')}; it is tried once more after the others`,
        style: 'doubtful',
      },
      ink,
    ),

  'run.parked': ({ reason, detail, exitCode }, { ink }) => [
    '',
    ...block(
      {
        label: `parked, ${inWords(reason)}:`,
        text: `${detail}${detail === '' ? '' : ' '}(exit code ${exitCode})`,
        style: 'doubtful',
      },
      ink,
    ),
  ],
  'run.done': (_, { state, ink }) => [
    '',
    ...block(
      {
        label: 'done:',
        text: `all ${count(state.total, 'feature')} pass after ${count(state.sessions, 'session')}, ${dollars(state.spentUsd)}`,
        style: 'good',
      },
      ink,
    ),
  ],
  'person.resume': (record, { ink }) => {
    const cap = record.budgetUsd === null ? '' : `, with a cap of ${dollars(record.budgetUsd)}`;
    const retry = 'retry' in record && record.retry ? `; ${record.retry} gets its attempts again` : '';
    const said = record.said ? `; ${JSON.stringify(record.said)}` : '';
    return block({ label: 'a person said:', text: `go on${cap}${retry}${said}`, style: 'strong' }, ink);
  },

  'person.commits': ({ from, to, count: commits, files }, { ink }) => {
    const text = `${count(commits, 'commit')} (${from.slice(0, 7)}..${to.slice(0, 7)}), ${files.join(', ')}`;
    return ['', ...block({ label: 'a person committed:', text, style: 'strong', most: 4 }, ink)];
  },
  'suite.replayed': ({ specs, broken }, { ink }) => [
    ...block(
      {
        indent: 2,
        text: `${count(specs, 'spec')} that passed ${specs === 1 ? 'was' : 'were'} run again: ${broken.length === 0 ? 'all green' : `${broken.length} not green`}`,
        style: broken.length === 0 ? 'good' : 'bad',
      },
      ink,
    ),
    ...broken.flatMap(text => block({ indent: 4, label: '-', text, rest: 6, most: 3 }, ink)),
  ],
  'spec.amended': (_, { ink }) => [
    '',
    ...block({ text: 'a person changed the app spec', style: 'strong' }, ink),
  ],

  'page.intent': silent,
  'page.sent': ({ channel }, { ink }) =>
    block({ text: `a person was paged by ${channel}`, style: 'faint' }, ink),
  'page.failed': ({ channel, error }, { ink }) =>
    block(
      {
        label: 'the page could not be sent',
        text: `by ${channel}: ${error}; it is kept`,
        style: 'bad',
        most: 3,
      },
      ink,
    ),
};

const COMMITTED: Readonly<Record<string, string>> = {
  init: 'the first commit, with the list of features',
  notes: 'notes of the session',
  list: 'features.json or app_spec.md as it must be',
  init_file: 'init.sh, which was gone',
  wip: 'unproved work that is sound',
  person: 'what a person left uncommitted',
};

/** Lines of the model's own words that are shown of a turn. */
const SAID_LINES = 3;

function saidLines(said: string, ink: StoryOptions): string[] {
  const lines = plainLines(said);
  const shown = lines.slice(0, SAID_LINES).flatMap(text => block({ indent: 4, text, rest: 4, most: 2 }, ink));
  const more = lines.length > SAID_LINES ? [`    … ${count(lines.length - SAID_LINES, 'more line')}`] : [];
  return [...shown, ...more].map(line => paint(line, 'faint', ink));
}

function endOfWaits(record: JournalRecord, memory: Memory, ink: StoryOptions): string[] {
  const { waits } = memory;
  memory.waits = null;
  if (!waits) return [];
  const text = `went on after ${span(between(waits.since, record.at))}, ${count(waits.count, 'wait')}`;
  return block({ indent: 2, text, style: 'faint' }, ink);
}

function costOf(record: JournalRecord, { state, memory }: Told): string {
  const took = memory.began === null ? '' : `${span(between(memory.began, record.at))}, `;
  const cost = memory.spentBefore === null ? '' : `${dollars(state.spentUsd - memory.spentBefore)}, `;
  return `${took}${cost}${dollars(state.spentUsd)} in all`;
}

function leftLines({ salvage, did }: { salvage: string | null; did: string[] }, ink: StoryOptions): string[] {
  return [...(salvage === null ? [] : [`its unfinished files are saved as ${salvage}`]), ...did].flatMap(
    text => block({ indent: 4, label: '-', text, rest: 6 }, ink),
  );
}

/** A record of a kind that this teller was not taught: its name and what is short in it, so that nothing is missing. */
function unknownLines(record: JournalRecord, ink: StoryOptions): string[] {
  const {
    type,
    v: _v,
    seq: _seq,
    gen: _gen,
    at: _at,
    ...fields
  } = record as JournalRecord & Record<string, unknown>;
  const told = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [`${inWords(name)} ${value}`] : [],
  );
  return block({ indent: 2, text: [inWords(type), ...told].join(', '), style: 'faint', most: 2 }, ink);
}

function between(from: string, to: string): number {
  return Math.max(Date.parse(to) - Date.parse(from), 0);
}
