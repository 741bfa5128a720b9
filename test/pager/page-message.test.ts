import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactor } from '../../harness/base/redact.js';
import { type MessageFacts, MOST_MESSAGE_BYTES, pageMessage } from '../../harness/pager/page-message.js';
import { begin, executing, session, stateOf } from '../support/records.js';

const KEY = 'sk-fake/+key "with" all_1234';
const DATABASE = 'postgres://app:hunter2-hunter2@db:5432/board';

function message(text: string, facts: Partial<MessageFacts> = {}) {
  const state = stateOf(
    executing(3),
    begin(2, 'F-003'),
    [
      {
        type: 'verify.result',
        session: 2,
        feature: 'F-003',
        tree: 't',
        specSha256: 's',
        verdict: 'red',
        summary: text,
        evidenceSha256: null,
        flip: null,
      },
    ],
    session(2, 'F-003', 'turn_limit').slice(1),
  );
  return pageMessage({
    rest: { reason: 'needs_person', detail: text },
    key: '0123456789abcdef',
    state,
    list: [{ id: 'F-003', category: 'functional', description: text, steps: ['x'], passes: false }],
    project: 'board',
    next: 'longhaul resume /apps/board',
    at: Date.UTC(2026, 0, 1, 10),
    redact: redactor([KEY]),
    ...facts,
  });
}

describe('what a page says', () => {
  it('holds no secret in any encoding, wherever the run got it from', () => {
    const said = [
      `env: ANTHROPIC_API_KEY=${KEY}`,
      `url ${encodeURIComponent(KEY)}`,
      `json ${JSON.stringify(JSON.stringify(KEY))}`,
      `basic ${Buffer.from(`user:${KEY}`).toString('base64')}`,
      `at ${DATABASE} or ${encodeURIComponent(DATABASE)}`,
      'x'.repeat(300),
    ].join('\n');
    for (const start of [0, 10, 20]) {
      const body = JSON.stringify(message(said.slice(start)));
      expect(body).not.toMatch(/hunter2|all_1234|with\W|c2stZmFrZ/);
      expect(body).toContain('[removed]');
    }
  });

  it('fits four kilobytes as JSON whatever the run holds, and keeps what to do next', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('"', '\\', '語', 'x', '\x1b[2J', '\x07', '\ud83d', '👩‍👩‍👧', '\n'),
        unit => {
          const body = message(unit.repeat(5_000), { project: unit.repeat(200) });
          expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(MOST_MESSAGE_BYTES);
          expect(body.text).toContain('longhaul resume /apps/board');
          expect(body.text).toContain('$0.00 spent');
          expect(body.text).toContain('F-003');
          expect(body.text).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
          expect(body.text.isWellFormed()).toBe(true);
        },
      ),
    );
    const long = message('x', { next: `longhaul resume /${'very-long/'.repeat(400)}` });
    expect(Buffer.byteLength(JSON.stringify(long))).toBeLessThanOrEqual(MOST_MESSAGE_BYTES);
  });

  it('names the feature in trouble: the one worked on last, else one that failed', () => {
    expect(message('x').feature).toBe('F-003');
    const state = stateOf(executing(3));
    expect(message('x', { state })).toMatchObject({ feature: null });
    expect(message('x', { state, rest: { reason: 'new_reason', detail: '' } }).text).toContain(
      'board: new reason.',
    );
  });
});
