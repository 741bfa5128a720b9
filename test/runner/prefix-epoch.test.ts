import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../harness/journal/records.js';
import { TRAINED_TYPES } from '../../harness/model/trained-tools.js';
import { causeOf, epochOf } from '../../harness/runner/prefix-epoch.js';
import { sessionPrefix } from '../../harness/runner/session-prefix.js';
import { NO_TRAINED_TYPES } from '../../harness/tools/tool-definitions.js';
import { begin, executing, stateOf } from '../support/records.js';

const PLAIN = sessionPrefix(NO_TRAINED_TYPES);
const NOW = epochOf(PLAIN, 'claude-x');

function recorded(epoch: typeof NOW): JournalEvent[] {
  return [{ type: 'prefix.begin', cause: 'first', ...epoch, longhaul: '0.1.0' }];
}

describe('a prefix epoch', () => {
  it('begins with the first session of a run', () => {
    expect(causeOf(stateOf([]), NOW)).toBe('first');
  });

  it('goes on while nothing changes, over any number of sessions and processes', () => {
    const state = stateOf(recorded(NOW), executing(), begin(2, 'F-001'));
    expect(causeOf(state, epochOf(sessionPrefix(new Set()), 'claude-x'))).toBeNull();
  });

  it('is another one with another model', () => {
    expect(causeOf(stateOf(recorded(NOW)), epochOf(PLAIN, 'claude-y'))).toBe('model');
  });

  it('is another one with other forms of tools, and tells their types', () => {
    const trained = epochOf(sessionPrefix(new Set(TRAINED_TYPES)), 'claude-x');
    expect(causeOf(stateOf(recorded(NOW)), trained)).toBe('tools');
    expect(trained.tools).toEqual([
      'bash_20250124',
      'browser',
      'finish_session',
      'notes',
      'search',
      'text_editor_20250728',
      'verify_feature',
    ]);
  });

  it.each([
    ['text', { ...PLAIN, system: `${PLAIN.system} More.` }],
    [
      'schema',
      {
        ...PLAIN,
        tools: PLAIN.tools.map(tool =>
          'input_schema' in tool ? { ...tool, input_schema: { type: 'object' as const } } : tool,
        ),
      },
    ],
  ])('is another one by an upgrade, when a %s of ours is another', (_, prefix) => {
    expect(causeOf(stateOf(recorded(NOW)), epochOf(prefix, 'claude-x'))).toBe('upgrade');
  });

  it('is an upgrade where a version before this one kept no record of it', () => {
    expect(causeOf(stateOf(executing()), NOW)).toBe('upgrade');
  });
});
