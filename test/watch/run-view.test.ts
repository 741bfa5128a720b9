import { describe, expect, it } from 'vitest';
import { describeView, runView } from '../../harness/watch/run-view.js';
import { begin, executing, stateOf } from '../support/records.js';

describe('`status`', () => {
  it('tells what is done now, by whom, since when', () => {
    const state = stateOf(executing(), begin(2, 'F-001'));
    const began = Date.parse(state.open?.began ?? '');
    expect(describeView(runView(state, 41), began + 90_000, 'GO').slice(-2)).toEqual([
      'session 2: F-001, for 90 s, 0 turns',
      'process 41',
    ]);
  });

  it('says of a run that nobody holds how to go on, unless it is done', () => {
    const open = stateOf(executing(), begin(2, 'F-001'));
    expect(describeView(runView(open, null), 0, 'GO')).toEqual([
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
