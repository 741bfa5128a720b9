import { describe, expect, it } from 'vitest';
import type { JournalEvent, ParkReason, SessionEndReason } from '../../harness/journal/records.js';
import { passedCount } from '../../harness/journal/run-state.js';
import { begin, commitOf, executing, flip, session, stateOf } from '../support/records.js';

describe('features', () => {
  it('counts a session without a pass as an attempt and as idle', () => {
    const state = stateOf(
      executing(),
      session(2, 'F-001', 'turn_limit'),
      session(3, 'F-001', 'model_stopped'),
    );
    expect(state.features.get('F-001')).toMatchObject({ attempts: 2, passed: false });
    expect(state.idle).toBe(2);
  });

  it('marks a pass at commit.done and not before', () => {
    const [intent, done] = flip(2, 'F-001');
    const open = stateOf(executing(), begin(2, 'F-001'), [intent]);
    expect(passedCount(open)).toBe(0);
    const after = stateOf(executing(), begin(2, 'F-001'), [intent, done]);
    expect(passedCount(after)).toBe(1);
    expect(after.lastCommit).toBe(commitOf('F-001'));
  });

  it('lets idle fall to 0 only when more features pass than ever before', () => {
    const idleBefore = [session(2, 'F-002', 'turn_limit'), session(3, 'F-002', 'turn_limit')];
    expect(stateOf(executing(), ...idleBefore).idle).toBe(2);
    const won = stateOf(executing(), ...idleBefore, begin(4, 'F-001'), flip(4, 'F-001'));
    expect(won).toMatchObject({ idle: 0, highWater: 1 });
    // The same feature once more is nothing new.
    const again = stateOf(executing(), flip(2, 'F-001'), ...idleBefore, flip(4, 'F-001'));
    expect(again).toMatchObject({ idle: 2, highWater: 1 });
  });

  it.each<[SessionEndReason, number]>([
    ['interrupted', 0],
    ['api_error', 0],
    ['budget', 0],
    ['turn_limit', 1],
    ['loop', 1],
    ['time_limit', 1],
    ['model_stopped', 1],
    ['refusal', 1],
    ['truncated', 1],
    ['bad_calls', 1],
    ['context_full', 1],
    ['fault', 1],
    ['finished', 1],
  ])('a session that ends by %s costs %i attempts', (reason, attempts) => {
    const state = stateOf(executing(), session(2, 'F-001', reason));
    expect(state.features.get('F-001')?.attempts ?? 0).toBe(attempts);
    expect(state.idle).toBe(attempts);
  });

  it('does not charge the first decline that names what must come first, and charges the second', () => {
    const declined = (n: number): JournalEvent[] => [
      ...begin(n, 'F-001'),
      { ...end(n, 'finished'), outcome: 'blocked', blockedBy: ['F-002'] },
    ];
    const once = stateOf(executing(), declined(2));
    expect(once.features.get('F-001')).toMatchObject({ attempts: 0, blockedBy: ['F-002'] });
    expect(once.idle).toBe(0);
    expect(stateOf(executing(), declined(2), declined(3)).features.get('F-001')?.attempts).toBe(1);
  });

  it('keeps the history of a feature with its verdicts', () => {
    const state = stateOf(executing(), [
      ...begin(2, 'F-001'),
      { type: 'verify.begin', session: 2, feature: 'F-001', tree: 't', specSha256: 's' },
      {
        type: 'verify.result',
        session: 2,
        feature: 'F-001',
        tree: 't',
        specSha256: 's',
        verdict: 'red',
        summary: 'step 2 failed',
        evidenceSha256: null,
        flip: null,
      },
      { ...end(2, 'turn_limit'), salvage: 'refs/longhaul/salvage/2' },
    ]);
    expect(state.features.get('F-001')?.history).toEqual([
      {
        session: 2,
        end: 'turn_limit',
        outcome: null,
        summary: 'it ended',
        verdicts: [{ verdict: 'red', summary: 'step 2 failed' }],
        salvage: 'refs/longhaul/salvage/2',
      },
    ]);
  });
});

describe('crashes', () => {
  const crash = (n: number): JournalEvent[] => [
    ...begin(n, 'F-001'),
    { type: 'session.abandoned', session: n, salvage: null, did: [] },
  ];

  it('cost nothing twice in a row, and an attempt from the third on', () => {
    expect(stateOf(executing(), crash(2), crash(3)).idle).toBe(0);
    const third = stateOf(executing(), crash(2), crash(3), crash(4));
    expect(third.idle).toBe(1);
    expect(third.features.get('F-001')?.attempts).toBe(1);
  });

  it('are counted anew after a session that ended by itself', () => {
    expect(stateOf(executing(), crash(2), crash(3), session(4, 'F-002', 'interrupted'), crash(5)).idle).toBe(
      0,
    );
  });
});

describe('money', () => {
  const process = (budgetUsd: number): JournalEvent[] => [
    { type: 'process.begin', pid: 1, model: 'm', budgetUsd, settings: {}, walls: 'none', simulated: true },
  ];
  const reserve = (call: string, usd: number): JournalEvent => ({
    type: 'spend.reserve',
    call,
    session: 2,
    usd,
    model: 'm',
  });
  const settle = (call: string, usd: number, estimated = false): JournalEvent => ({
    type: 'spend.settle',
    call,
    usd,
    estimated,
    tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  });

  it('counts a reservation until it is settled, then what was settled', () => {
    expect(stateOf(process(5), [reserve('a', 1)]).spentUsd).toBe(1);
    expect(stateOf(process(5), [reserve('a', 1), settle('a', 0.25)])).toMatchObject({
      spentUsd: 0.25,
      uncertainUsd: 0,
    });
  });

  it('keeps a reservation that a crash left, and shows it as uncertain', () => {
    const state = stateOf(process(5), [reserve('a', 1)], process(5));
    expect(state).toMatchObject({ spentUsd: 1, uncertainUsd: 1 });
  });

  it('shows an estimated settlement as uncertain', () => {
    expect(stateOf(process(5), [reserve('a', 1), settle('a', 0.5, true)]).uncertainUsd).toBe(0.5);
  });
});

describe('phases', () => {
  it('go from new over initializing to executing', () => {
    expect(stateOf().phase).toBe('new');
    expect(stateOf(executing().slice(0, 1)).phase).toBe('initializing');
    expect(stateOf(executing()).phase).toBe('executing');
  });

  it('leave a parked run to a person, but one that a person stopped to the next process', () => {
    const parked = (reason: ParkReason): JournalEvent[] => [
      { type: 'run.parked', reason, detail: '', exitCode: 3 },
    ];
    const start: JournalEvent[] = [
      {
        type: 'process.begin',
        pid: 1,
        model: 'm',
        budgetUsd: 1,
        settings: {},
        walls: 'none',
        simulated: false,
      },
    ];
    for (const reason of ['stuck', 'paused'] as const)
      expect(stateOf(executing(), parked(reason), start).phase).toBe('parked');
    for (const reason of ['interrupted', 'stopped'] as const)
      expect(stateOf(executing(), parked(reason), start).phase).toBe('executing');
    expect(
      stateOf(executing(), parked('stuck'), [{ type: 'person.resume', budgetUsd: null, retry: null }]).phase,
    ).toBe('executing');
  });

  it('give each feature its attempts again when a person resumes', () => {
    const state = stateOf(
      executing(),
      session(2, 'F-001', 'turn_limit'),
      [{ type: 'feature.set_aside', feature: 'F-001', attempts: 1 }],
      [{ type: 'person.resume', budgetUsd: 7, retry: null }],
    );
    expect(state.features.get('F-001')).toMatchObject({ attempts: 0, setAside: false });
    expect(state).toMatchObject({ idle: 0, budgetUsd: 7 });
  });
});

function end(n: number, reason: SessionEndReason): Extract<JournalEvent, { type: 'session.end' }> {
  return {
    type: 'session.end',
    session: n,
    reason,
    summary: 'it ended',
    turns: 3,
    outcome: null,
    blockedBy: [],
    salvage: null,
    did: [],
  };
}

describe('a wait for the API', () => {
  const wait = (fault: 'rate_limit' | 'network'): JournalEvent => ({
    type: 'wait.begin',
    session: 2,
    fault,
    message: 'slow down',
    untilMs: 9,
  });
  const process: JournalEvent = {
    type: 'process.begin',
    pid: 1,
    model: 'm',
    budgetUsd: 1,
    settings: {},
    walls: 'none',
    simulated: false,
  };
  const turn: JournalEvent = {
    type: 'turn.end',
    session: 2,
    turn: 1,
    stopReason: 'tool_use',
    contextTokens: 1,
    tools: [],
  };

  it.each<[what: string, owed: boolean, events: JournalEvent[]]>([
    ['still, after a kill', true, [wait('rate_limit'), process]],
    [
      'still, after Ctrl-C',
      true,
      [wait('rate_limit'), ...session(2, 'F-001', 'interrupted').slice(1), process],
    ],
    ['no more when it was over', false, [wait('rate_limit'), { type: 'wait.end', session: 2 }, process]],
    ['no more after an answer', false, [wait('rate_limit'), turn, process]],
    [
      'no more when a person says "go on"',
      false,
      [wait('rate_limit'), process, { type: 'person.resume', budgetUsd: null, retry: null }],
    ],
    ['not for a network that was down', false, [wait('network'), process]],
  ])('is owed by the next process (%s): %s', (_, owed, events) => {
    const state = stateOf(executing(), begin(2, 'F-001'), events);
    expect(state.owedWait !== null).toBe(owed);
    // Until it goes on with it, the process is not waiting.
    expect(state.waiting).toBeNull();
  });
});
