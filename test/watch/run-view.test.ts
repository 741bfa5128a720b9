import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../harness/journal/records.js';
import { describeView, runView } from '../../harness/watch/run-view.js';
import { begin, executing, stateOf } from '../support/records.js';

const started: JournalEvent = {
  type: 'process.begin',
  pid: 7,
  model: 'm',
  budgetUsd: 20,
  settings: {},
  walls: 'none',
  simulated: false,
};

describe('`status`', () => {
  it('calls a run ready that waits for `run`, after its plan or a change of the list', () => {
    const planned = stateOf(executing(), [started, { type: 'process.end', exitCode: 0 }]);
    expect(describeView(runView(planned, null), 0, 'GO')).toEqual([
      'ready',
      '0 of 3 features pass',
      '1 session, $0.00 of $20.00',
      'To go on: GO',
    ]);
  });

  it('counts the open call as spent only once it is answered, or when nobody knows its end', () => {
    const reserved: JournalEvent = { type: 'spend.reserve', call: 'c', session: 2, usd: 0.4, model: 'm' };
    const open = stateOf(executing(), [started], begin(2, 'F-001'), [reserved]);
    expect(describeView(runView(open, 7), 0, 'GO')[2]).toBe(
      '2 sessions, $0.00 of $20.00, at most $0.40 more for the open answer',
    );
    expect(describeView(runView(open, null), 0, 'GO')[2]).toBe(
      '2 sessions, $0.40 of $20.00, of it $0.40 for calls whose end is not known (counted in full)',
    );
  });

  it('tells what is done now, by whom, since when', () => {
    const state = stateOf(executing(), begin(2, 'F-001'));
    const began = Date.parse(state.open?.began ?? '');
    expect(describeView(runView(state, 41), began + 90_000, 'GO').slice(-2)).toEqual([
      'session 2: F-001, for 90 s, 0 turns',
      'process 41',
    ]);
  });

  it('says of a run that nobody holds how to go on, unless it is done', () => {
    const crashed = stateOf(executing(), [started], begin(2, 'F-001'));
    expect(describeView(runView(crashed, null), 0, 'GO')).toEqual([
      'crashed',
      '0 of 3 features pass',
      expect.stringMatching(/^2 sessions, /),
      'session 2: F-001, cut off',
      'To go on: GO',
    ]);
    const done = stateOf(executing(), [{ type: 'run.done', head: 'h' }]);
    expect(describeView(runView(done, null), 0, 'GO').join()).not.toContain('To go on');
  });
});
