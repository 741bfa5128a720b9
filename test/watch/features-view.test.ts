import { describe, expect, it } from 'vitest';
import type { Feature } from '../../harness/features/feature-list.js';
import type { JournalEvent } from '../../harness/journal/records.js';
import { reduce } from '../../harness/journal/reduce.js';
import { columnsOf } from '../../harness/watch/columns.js';
import { detailLines, evidenceHash, featureDetail } from '../../harness/watch/feature-detail.js';
import { featuresLines, featuresView } from '../../harness/watch/features-view.js';
import { nearIds } from '../../harness/watch/near-ids.js';
import type { StoredEvidence } from '../../harness/watch/stored-evidence.js';
import { begin, commitOf, executing, flip, recordsOf, session } from '../support/records.js';

const feature = (id: string, more: Partial<Feature> = {}): Feature => ({
  id,
  category: 'functional',
  description: `What ${id} does`,
  steps: ['Open the start page', `See ${id}`],
  passes: false,
  ...more,
});

const LIST = [
  feature('F-001', { passes: true }),
  feature('F-002'),
  feature('F-003', { depends_on: ['F-001', 'F-002'] }),
  feature('F-004'),
  feature('F-005'),
];

const EVENTS: JournalEvent[] = [
  ...executing(5),
  ...begin(2, 'F-001'),
  { type: 'spend.reserve', call: 'c', session: 2, usd: 0.25, model: 'm' },
  ...flip(2, 'F-001'),
  ...session(2, 'F-001', 'feature_verified').slice(-1),
  ...session(3, 'F-002', 'turn_limit'),
  { type: 'feature.set_aside', feature: 'F-002', attempts: 1 },
  ...begin(4, 'F-004'),
  {
    type: 'session.end',
    session: 4,
    reason: 'finished',
    summary: 'Needs F-005.',
    turns: 1,
    outcome: 'blocked',
    blockedBy: ['F-005', 'F-001'],
    salvage: 'refs/longhaul/salvage/4',
    did: [],
  },
  ...begin(5, 'F-005'),
];

describe('the list of features', () => {
  const state = reduce(recordsOf(EVENTS));

  it('says of each whether it passes, what was tried, and what it waits for', () => {
    const view = featuresView(LIST, state, true);
    expect(view).toMatchObject({ passed: 1, total: 5, setAside: 1 });
    expect(view.features.map(row => [row.id, row.state, row.sessions, row.attempts, row.blockedBy])).toEqual([
      ['F-001', 'passes', 1, 0, []],
      ['F-002', 'set aside', 1, 1, []],
      ['F-003', 'failing', 0, 0, ['F-002']],
      ['F-004', 'failing', 1, 0, ['F-005']],
      ['F-005', 'in work', 1, 0, []],
    ]);
    expect(featuresView(LIST, state, false).features[4]?.state).toBe('failing');
  });

  it('is told in lines that fit, harmless whatever the list holds', () => {
    const hostile = [...LIST, feature('F-006', { description: `\x1b[2J${'wide 日本語 '.repeat(20)}\u202e` })];
    const lines = featuresLines(featuresView(hostile, state, true), { width: 60, color: false });
    expect(lines.slice(0, 4)).toEqual([
      '1 of 6 features pass, 1 set aside',
      ' passes    F-001 What F-001 does',
      '           1 session',
      ' set aside F-002 What F-002 does',
    ]);
    expect(lines).toContain('           1 session (0 attempts counted), waits for F-005');
    for (const line of lines) {
      expect(columnsOf(line)).toBeLessThanOrEqual(60);
      expect(line).not.toMatch(/[\x00-\x1f\u202e]/);
    }
  });
});

describe('one feature', () => {
  const records = recordsOf(EVENTS);
  const facts = { list: LIST, state: reduce(records), records, held: true };
  const evidence: StoredEvidence = {
    folder: '/app of mine/.git/longhaul/evidence/F-001',
    sha256: 'abc',
    intact: false,
    at: '2023-11-14T22:14:00.000Z',
    session: 2,
    tree: commitOf('tree'),
    specSha256: 'def',
    ms: 2_300,
    blank: 'red: nothing there',
    tests: [{ title: 'F-001', ms: 2_000, steps: [{ title: 'See \x1b[1mF-001', ms: 300 }] }],
    files: [
      { name: 'trace.zip', bytes: 50_000, path: '/app of mine/.git/longhaul/evidence/F-001/trace.zip' },
      { name: 'final.png', bytes: 900, path: null },
    ],
  };

  it('shows steps, attempts with their end and cost, and what it depends on', () => {
    const detail = featureDetail(LIST[3] as Feature, { ...facts, evidence: null });
    expect(detail.history).toMatchObject([
      { session: 4, end: 'finished', summary: 'Needs F-005.', salvage: 'refs/longhaul/salvage/4', usd: 0 },
    ]);
    const text = detailLines(detail, { width: 60, color: false, timeZone: 'UTC' }).join('\n');
    expect(text).toContain('F-004 What F-004 does\n  failing, functional, 1 session (0 attempts counted)');
    expect(text).toContain('Steps\n  1. Open the start page\n  2. See F-004');
    expect(text).toContain('unfinished files: git show refs/longhaul/salvage/4');
    const third = featureDetail(LIST[2] as Feature, { ...facts, evidence: null });
    expect(detailLines(third, { width: 60, color: false }).join('\n')).toContain(
      'depends on F-001, which passes\n  depends on F-002, which fails',
    );
    const fifth = featureDetail(LIST[4] as Feature, { ...facts, evidence: null });
    expect(detailLines(fifth, { width: 60, color: false }).join('\n')).toMatch(/session 5: .*, goes on/);
  });

  it('shows the evidence with hash, tree, times, files and how to open the trace, and whether it was changed', () => {
    const detail = featureDetail(LIST[0] as Feature, { ...facts, evidence });
    expect(detail).toMatchObject({ commit: commitOf('F-001'), history: [{ usd: 0.25 }] });
    const lines = detailLines(detail, { width: 60, color: false, timeZone: 'UTC' });
    const text = lines.join('\n');
    expect(text).toMatch(/not what the journal says was stored: result.json\s+has changed since/);
    expect(text).toContain('seen green: 2023-11-14 22:14 in session 2, in 2.3 s');
    expect(text).toContain('- See F-001, 0.3 s');
    expect(text).toContain(`tree: ${commitOf('tree')}`);
    expect(text).toContain(`commit: ${commitOf('F-001')}`);
    expect(text).toContain('- trace.zip, 50 KB\n    - final.png, 900 B, not there');
    expect(lines.at(-1)).toBe(
      "    npx playwright show-trace '/app of mine/.git/longhaul/evidence/F-001/trace.zip'",
    );
  });

  it('has the hash of its last green verdict', () => {
    const result = (evidenceSha256: string | null): JournalEvent => ({
      type: 'verify.result',
      session: 2,
      feature: 'F-001',
      tree: 't',
      specSha256: 's',
      verdict: evidenceSha256 ? 'green' : 'red',
      summary: '',
      evidenceSha256,
      flip: null,
    });
    expect(evidenceHash(recordsOf([result('one'), result('two'), result(null)]), 'F-001')).toBe('two');
    expect(evidenceHash(recordsOf([result('one')]), 'F-002')).toBe(null);
  });
});

it.each([
  ['F-17', ['F-017']],
  ['f17', ['F-017']],
  ['F-0171', ['F-017']],
  ['G-017', ['F-017']],
  ['login', []],
])('near %s are %j', (wanted, near) => {
  expect(nearIds(wanted, ['F-001', 'F-017', 'F-250'])).toEqual(near);
});
