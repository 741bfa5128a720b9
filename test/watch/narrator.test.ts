import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../harness/journal/records.js';
import { applyRecord } from '../../harness/journal/reduce.js';
import { emptyState } from '../../harness/journal/run-state.js';
import { columnsOf } from '../../harness/watch/columns.js';
import { type NarratorOptions, narrator, narratorFor } from '../../harness/watch/narrator.js';
import { openOutput } from '../../harness/watch/terminal.js';
import { begin, commitOf, executing, flip, recordsOf, session } from '../support/records.js';

function told(events: readonly JournalEvent[], options: Partial<NarratorOptions> = {}): string[] {
  const narrate = narrator({ detail: 'sessions', width: 400, color: false, timeZone: 'UTC', ...options });
  const state = emptyState();
  return recordsOf(events).flatMap(record => {
    applyRecord(state, record);
    return narrate(record, state)?.split('\n') ?? [];
  });
}

function verdict(verdict: 'red' | 'green', summary: string): JournalEvent {
  return {
    type: 'verify.result',
    session: 2,
    feature: 'F-001',
    tree: 't',
    specSha256: 's',
    verdict,
    summary,
    evidenceSha256: null,
    flip: null,
  };
}

const DAYS: JournalEvent[] = [
  ...executing(2),
  ...begin(2, 'F-001'),
  { type: 'spend.reserve', call: 'c', session: 2, usd: 0.5, model: 'm' },
  { type: 'spend.settle', call: 'c', usd: 0.25, tokens: null, estimated: false },
  { type: 'tool.end', session: 2, turn: 1, tool: 'bash', brief: 'ls', ok: true, ms: 5 },
  { type: 'list.restored', session: 2, found: 'passes of F-002 was set to true' },
  { type: 'init.restored', session: 2, found: 'it was removed' },
  verdict('red', 'Red in step "Move the card"'),
  verdict('green', 'The spec is green.'),
  ...flip(2, 'F-001'),
  ...session(2, 'F-001', 'feature_verified').slice(-1),
  ...session(3, 'F-002', 'turn_limit'),
  { type: 'feature.set_aside', feature: 'F-002', attempts: 1 },
  { type: 'run.parked', reason: 'stuck', detail: 'nothing moves', exitCode: 3 },
];

/** Without the times, each of which must be there. */
function timeless(lines: string[]): string[] {
  return lines.map(line => line.replace(/^2023-11-14 22:\d\d /, ''));
}

describe('a narrator into a file', () => {
  it('begins each line with the time', () => {
    for (const line of told(DAYS)) expect(line).toMatch(/^2023-11-14 22:1\d /);
  });

  it('writes one line a session with number, feature, counts and spend, and what is rare', () => {
    expect(timeless(told(DAYS))).toEqual([
      'the start is accepted: 2 features to build',
      'session 1: finished, 0 of 2 features pass, 3 turns, 3.0 s, $0.00, $0.00 in all; it ended',
      'features.json was put back: passes of F-002 was set to true',
      'init.sh was put back: it was removed',
      'F-001 is not verified, red: Red in step "Move the card"',
      `F-001 passes, commit ${commitOf('F-001').slice(0, 7)}`,
      'session 2, F-001: feature verified, 1 of 2 features pass, 3 turns, 10 s, $0.25, $0.25 in all; it ended',
      'session 3, F-002: turn limit, 1 of 2 features pass, 3 turns, 1.0 s, $0.00, $0.25 in all; it ended',
      'F-002 is set aside after 1 session; it is tried once more after the others',
      'parked, stuck: nothing moves',
    ]);
  });

  it('tells of a crash that an earlier process left', () => {
    const lines = timeless(
      told([
        ...begin(4, 'F-001').slice(0, 0),
        { type: 'session.abandoned', session: 4, salvage: 'refs/longhaul/salvage/4', did: ['HEAD is back'] },
      ]),
    );
    expect(lines).toEqual([
      'session 4: cut off by a crash, 0 of 0 features pass, $0.00 in all; its unfinished files are saved as refs/longhaul/salvage/4; HEAD is back',
    ]);
  });

  it('does not fill it in an outage of a day, nor with what a record holds', () => {
    const outage = Array.from({ length: 1_000 }, (): JournalEvent[] => [
      {
        type: 'wait.begin',
        session: 2,
        fault: 'network',
        message: 'no route\r\n\x1b[31mto host',
        untilMs: 0,
      },
      { type: 'turn.end', session: 2, turn: 1, stopReason: 'x', contextTokens: 0, tools: [] },
    ]).flat();
    const lines = timeless(told([...begin(2, 'F-001'), ...outage]));
    expect(lines).toEqual(['waiting for the API (network: no route to host) until 1970-01-01 00:00']);
    const [long] = told([{ type: 'list.restored', session: 2, found: 'x\x1b]0;a\x07\n'.repeat(500) }]);
    expect(columnsOf(long ?? '')).toBe(400);
    expect(long).not.toMatch(/[\x00-\x1f]/);
  });
});

it('where its lines go decides what a narrator tells, and a terminal may change its width meanwhile', () => {
  const stream = { isTTY: true, columns: 30, on: () => stream, write: () => true };
  const output = openOutput(stream as never, {});
  const [toTerminal, toFile] = [
    narratorFor(output),
    narratorFor(openOutput({ ...stream, isTTY: false } as never, {})),
  ];
  const [record] = recordsOf([
    { type: 'tool.end', session: 2, turn: 1, tool: 'bash', brief: 'x'.repeat(99), ok: true, ms: 5 },
  ]);
  if (!record) throw new Error('no record');
  const width = () => columnsOf(stripVTControlCharacters(toTerminal(record, emptyState()) ?? ''));
  expect(width()).toBe(30);
  stream.columns = 50;
  expect(width()).toBe(50);
  expect(toFile(record, emptyState())).toBe(null);
});

it('a narrator to a terminal tells each tool call, as the log does, in lines that fit', () => {
  const lines = told(DAYS, { detail: 'calls', width: 60 });
  expect(lines).toContain('  ok      0.0 s bash ls');
  expect(lines).toContain('session 2: F-001');
  for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(60);
});
