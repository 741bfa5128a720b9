import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { JournalEvent, PrefixCause } from '../../harness/journal/records.js';
import { columnsOf } from '../../harness/watch/columns.js';
import { storyLines } from '../../harness/watch/story.js';
import { begin, commitOf, executing, flip, recordsOf } from '../support/records.js';

const PLAIN = { width: 100, color: false, timeZone: 'UTC' };

const process = (pid: number): JournalEvent => ({
  type: 'process.begin',
  pid,
  model: 'claude-x',
  budgetUsd: 20,
  settings: {},
  walls: 'none',
  simulated: true,
});

const tool = (brief: string, ok = true, ms = 120): JournalEvent => ({
  type: 'tool.end',
  session: 2,
  turn: 1,
  tool: 'bash',
  brief,
  ok,
  ms,
});

const end = (
  session: number,
  more: Partial<Extract<JournalEvent, { type: 'session.end' }>> = {},
): JournalEvent => ({
  type: 'session.end',
  session,
  reason: 'turn_limit',
  summary: 'All 200 turns were used.',
  turns: 200,
  outcome: null,
  blockedBy: [],
  salvage: null,
  did: [],
  ...more,
});

const spend = (session: number, call: string, usd: number): JournalEvent[] => [
  { type: 'spend.reserve', call, session, usd: usd * 2, model: 'claude-x' },
  { type: 'spend.settle', call, usd, tokens: null, estimated: false },
];

function verdict(verdict: 'green' | 'red', summary: string): JournalEvent {
  const plan = {
    base: commitOf('init'),
    tree: commitOf('tree'),
    message: 'Show quotes\n\nTrailer: x',
    dateMs: 0,
  };
  return {
    type: 'verify.result',
    session: 2,
    feature: 'F-001',
    tree: commitOf('tree'),
    specSha256: 's',
    verdict,
    summary,
    evidenceSha256: null,
    flip: verdict === 'green' ? plan : null,
  };
}

describe('the story of a run', () => {
  it('tells of a session what was tried, what came back, what was committed and what it cost', () => {
    const lines = storyLines(
      recordsOf([
        ...executing(2).slice(0, 1),
        process(41),
        ...executing(2).slice(1),
        {
          type: 'session.begin',
          session: 2,
          kind: 'executor',
          feature: 'F-001',
          title: 'Quotes are shown',
          base: '',
        },
        ...spend(2, 'c1', 0.25),
        tool('npm test', false, 65_000),
        verdict('red', 'Red in step "See a quote".'),
        tool('edit app.mjs'),
        verdict('green', '1 test green in 2.3 s.'),
        ...flip(2, 'F-001'),
        end(2, { reason: 'feature_verified', summary: 'F-001 was verified and committed.', turns: 6 }),
      ]),
      PLAIN,
    );
    expect(lines.slice(lines.findIndex(line => line.startsWith('session 2')))).toEqual([
      'session 2: F-001 Quotes are shown',
      '  2023-11-14 22:13, 0 of 2 features pass, $0.00 of $20.00 spent',
      '  failed   65 s bash npm test',
      '  verification red, F-001: Red in step "See a quote".',
      '  ok      0.1 s bash edit app.mjs',
      '  verification green, F-001: 1 test green in 2.3 s.',
      `  committed ${commitOf('F-001').slice(0, 7)}: F-001 passes (1 of 2), "Show quotes"`,
      '  ended, feature verified: F-001 was verified and committed.',
      '    6 turns, 9.0 s, $0.25, $0.25 in all',
    ]);
  });

  it('tells of another prefix of all sessions and why, but not of the first', () => {
    const prefix = (cause: PrefixCause): JournalEvent => ({
      type: 'prefix.begin',
      cause,
      sha256: 'f',
      model: 'claude-y',
      tools: ['bash_20250124', 'browser'],
      longhaul: '0.2.0',
    });
    const story = (cause: PrefixCause) => storyLines(recordsOf([prefix(cause)]), PLAIN).join(' ');
    expect(story('first')).toBe('');
    expect(story('model')).toContain('a new prefix of all sessions: the model is now claude-y');
    expect(story('tools')).toContain('the tools are now bash_20250124, browser');
    expect(story('upgrade')).toContain("Longhaul's own texts have changed (now 0.2.0)");
  });

  it('tells of crashes, repairs, waits in one row, setting aside, parking and a person', () => {
    const wait = (untilMs: number): JournalEvent[] => [
      { type: 'wait.begin', session: 2, fault: 'rate_limit', message: 'slow down', untilMs },
      { type: 'wait.end', session: 2 },
    ];
    const text = storyLines(
      recordsOf([
        process(41),
        ...executing(),
        ...begin(2, 'F-001'),
        ...wait(1_700_000_100_000),
        ...wait(1_700_000_200_000),
        { type: 'turn.end', session: 2, turn: 1, stopReason: 'tool_use', contextTokens: 9, tools: [] },
        { type: 'list.restored', session: 2, found: 'passes of F-002 was set to true' },
        process(42),
        {
          type: 'session.abandoned',
          session: 2,
          salvage: 'refs/longhaul/salvage/2',
          did: ['HEAD is on main again'],
        },
        ...begin(3, 'F-001'),
        end(3, {
          reason: 'finished',
          outcome: 'blocked',
          blockedBy: ['F-002'],
          summary: 'It needs a list first.',
        }),
        { type: 'feature.set_aside', feature: 'F-001', attempts: 3 },
        { type: 'run.parked', reason: 'stuck', detail: '7 sessions in a row won nothing', exitCode: 3 },
        { type: 'process.end', exitCode: 3 },
        { type: 'person.resume', budgetUsd: 30, retry: 'F-001' } as JournalEvent,
        { type: 'page.failed', key: 'k', channel: 'webhook', error: 'HTTP 500' } as unknown as JournalEvent,
        { type: 'run.done', head: commitOf('x') },
      ]),
      PLAIN,
    ).join('\n');
    for (const part of [
      'waiting for the API (rate limit: slow down) until 2023-11-14 22:15',
      'went on after 4.0 s, 2 waits',
      'features.json was put back: passes of F-002 was set to true',
      'the process before it ended without a word: killed, or crashed',
      'session 2 was cut off by a crash',
      '- its unfinished files are saved as refs/longhaul/salvage/2',
      '- HEAD is on main again',
      'ended, blocked: (by F-002) It needs a list first.',
      'F-001 is set aside after 3 sessions',
      'parked, stuck: 7 sessions in a row won nothing (exit code 3)',
      'a person said: go on, with a cap of $30.00; F-001 gets its attempts again',
      'the page could not be sent by webhook: HTTP 500; it is kept',
      'done: all 3 features pass after 3 sessions',
    ])
      expect(text).toContain(part);
    expect(text.match(/waiting for the API/g)).toHaveLength(1);
    expect(text.match(/ended without a word/g)).toHaveLength(1);
  });

  it('leaves out no record that it was not taught', () => {
    const lines = storyLines(
      recordsOf([{ type: 'person.amend', path: 'spec.md', by: 'somebody' } as unknown as JournalEvent]),
      PLAIN,
    );
    expect(lines).toEqual(['  person amend, path spec.md, by somebody']);
  });

  it('shows the first lines that the model said in a turn, where they are known', () => {
    const turn: JournalEvent = {
      type: 'turn.end',
      session: 2,
      turn: 1,
      stopReason: 'x',
      contextTokens: 0,
      tools: [],
    };
    const lines = storyLines(recordsOf([...begin(2, 'F-001'), turn]), {
      ...PLAIN,
      said: (session, turn) => `session ${session}, turn ${turn}\n\ntwo\nthree\nfour\nfive`,
    });
    expect(lines.slice(-4)).toEqual(['    session 2, turn 1', '    two', '    three', '    … 2 more lines']);
  });
});

describe('lines of the story', () => {
  const HOSTILE = `\x1b]0;owned\x07\x1b[2J\x1b[1;1Hfree\r\nlunch \x9b5m\u202e 日本語のとても長い説明 ${'x'.repeat(90)} and words that go on and on`;
  const hostile: JournalEvent[] = [
    process(1),
    ...executing(),
    { type: 'session.begin', session: 2, kind: 'executor', feature: 'F-001', title: HOSTILE, base: '' },
    tool(HOSTILE),
    verdict('red', HOSTILE),
    { type: 'wait.begin', session: 2, fault: 'network', message: HOSTILE, untilMs: Number.NaN },
    { type: 'init.rejected', session: 2, reasons: [HOSTILE] },
    { type: 'list.restored', session: 2, found: HOSTILE },
    { type: 'init.restored', session: 2, found: HOSTILE },
    end(2, { summary: HOSTILE, salvage: HOSTILE, did: [HOSTILE], outcome: 'blocked', blockedBy: [HOSTILE] }),
    { type: 'run.parked', reason: 'stuck', detail: HOSTILE, exitCode: 3 },
    { type: 'run.parked', reason: '\x1b[2Jstuck\n\x9b' as never, detail: '', exitCode: 3 },
    { type: 'person.said', text: HOSTILE } as unknown as JournalEvent,
    { type: 'page.failed', key: 'k', channel: HOSTILE, error: HOSTILE } as unknown as JournalEvent,
    { type: 'turn.end', session: 2, turn: 1, stopReason: 'x', contextTokens: 0, tools: [] },
  ];
  const said = () => `${HOSTILE}\n${HOSTILE}`;

  it.each([60, 80, 120])('fit %i columns, and hold no control character whatever records hold', width => {
    const lines = storyLines(recordsOf(hostile), { width, color: false, said });
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/);
      expect(columnsOf(line)).toBeLessThanOrEqual(width);
    }
  });

  it('in colour are the same lines with nothing but colours added', () => {
    const plain = storyLines(recordsOf(hostile), { width: 60, color: false, said });
    const coloured = storyLines(recordsOf(hostile), { width: 60, color: true, said });
    expect(coloured.join('\n')).toContain('\x1b[31m');
    expect(coloured.map(line => stripVTControlCharacters(line))).toEqual(plain);
    for (const line of coloured) expect(line.replace(/\x1b\[\d+m/g, '')).not.toContain('\x1b');
  });
});
