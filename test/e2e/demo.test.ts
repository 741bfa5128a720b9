import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, test } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { openJournal } from '../../harness/journal/journal.js';
import { readJournal } from '../../harness/journal/read-journal.js';
import type { JournalRecord } from '../../harness/journal/records.js';
import { DEMO_FEATURE_IDS, demoCommit } from '../../harness/standin/demo/content.js';
import type { EvidenceResult } from '../../harness/verify/evidence.js';
import { PASSING_ORDER } from '../support/demo-app.js';
import { runCli } from '../support/rig.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';

it('the demo builds ten features, each thing that goes wrong on the way is seen, and a kill costs one session', {
  timeout: 900_000,
}, async () => {
  const folder = runFolder();
  const env = { ...folder.env(''), ANTHROPIC_API_KEY: '' };
  const { code, output } = await runCli(['demo', '--crash', '--dir', folder.app], env);
  expect(output).toMatch(/\ndone: 10 of 10 features pass, 13 sessions, \$\d+\.\d\d \(simulated\).*\n/);
  expect(code).toBe(0);

  const { records } = readJournal(folder.journal);
  const sessions = records.flatMap(record =>
    record.type === 'session.begin' ? [record.feature ?? 'start'] : [],
  );
  expect(sessions).toEqual([
    ...['start', 'F-001', 'F-002', 'F-003', 'F-004', 'F-004', 'F-005'],
    ...['F-006', 'F-007', 'F-006', 'F-008', 'F-009', 'F-010'],
  ]);
  const verdicts = records.flatMap(record =>
    record.type === 'verify.result' ? [`${record.feature} ${record.verdict}`] : [],
  );
  expect(verdicts.filter(verdict => verdict.endsWith(' green'))).toEqual(
    PASSING_ORDER.map(id => `${id} green`),
  );

  // A vacuous spec, and a fault in the app.
  expect(verdicts.filter(verdict => !verdict.endsWith(' green'))).toEqual(['F-002 unproven', 'F-003 red']);
  expect(output).toContain('F-002 is not verified, unproven: The spec is green on an empty page too.');
  expect(output).toMatch(/F-003 is not verified, red: Red in step "Reload the page/);

  // The kill: one session is lost, its file is kept, the next one takes the feature up.
  expect(output).toContain('demo: killed the run (SIGKILL) during F-004; the same command goes on:');
  const abandoned = records.filter(record => record.type === 'session.abandoned');
  expect(abandoned).toMatchObject([{ session: 5, salvage: 'refs/longhaul/salvage/5' }]);
  expect(folder.git('show', '--name-only', '--format=', 'refs/longhaul/salvage/5')).toBe('words.test.mjs');

  // The native dialog: reported, answered, and seen by the spec as well.
  const deletion = transcriptOf(folder, records, 'F-005');
  expect(deletion).toMatch(/Dialog confirm \\"Delete “Ask Ida for the gate key” for good\?\\": dismissed/);
  expect(deletion).toMatch(
    /Dialog confirm \\"Delete “Ask Ida for the gate key” for good\?\\": accepted, as asked/,
  );
  const console = readFileSync(join(evidenceOf(folder, 'F-005'), 'console.json'), 'utf8');
  expect(console).toContain('Delete “Ask Ida for the gate key” for good?');

  // The feature that waits for another one.
  const declined = records.filter(record => record.type === 'session.end' && record.outcome === 'blocked');
  expect(declined).toMatchObject([{ session: 8, blockedBy: ['F-007'] }]);
  expect(folder.git('show', 'HEAD:features.json')).not.toContain('depends_on');

  // The edit of the list: undone and told.
  const restored = records.filter(record => record.type === 'list.restored');
  expect(restored).toMatchObject([{ session: 11, found: 'the description of F-008 was changed' }]);
  expect(output).toContain('features.json was put back: the description of F-008 was changed');
  expect(transcriptOf(folder, records, 'F-008')).toContain('[fact] features.json was changed');

  const list = JSON.parse(folder.git('show', 'HEAD:features.json')) as { id: string; steps: string[] }[];
  for (const id of DEMO_FEATURE_IDS) {
    const evidence = evidenceOf(folder, id);
    const result: EvidenceResult = JSON.parse(readFileSync(join(evidence, 'result.json'), 'utf8'));
    expect(result).toMatchObject({ feature: id, verdict: 'green', blank: { verdict: 'red' } });
    for (const file of ['trace.zip', 'final.png'])
      expect(statSync(join(evidence, file)).size).toBeGreaterThan(1_000);
    const { tests } = result.details as { tests: { steps: { title: string }[] }[] };
    expect(tests[0]?.steps.map(step => step.title)).toEqual(list.find(feature => feature.id === id)?.steps);
  }

  // What is left: a story in git, a clean tree, an app that comes up for a person.
  expect(folder.git('log', '--reverse', '--format=%s').split('\n')).toEqual([
    'Lay out the project: 10 features to build',
    ...PASSING_ORDER.map(id => demoCommit(id).subject),
  ]);
  expect(folder.git('status', '--porcelain')).toBe('');
  const checked = execFileSync('bash', ['init.sh', 'check'], { cwd: folder.app, encoding: 'utf8' });
  expect(checked).toContain('check: ok');

  for (const line of [
    'session 3, F-002: the spec was green on an empty page too, so it was refused; then mended',
    'session 4, F-003: the spec was red in a real browser, for a fault in the app; then mended',
    'session 5, F-004: killed in the middle; the next session began it anew',
    "session 7, F-005: a native dialog was seen and answered in the agent's browser",
    'session 8, F-006: declined, so F-007 came first',
    'session 11, F-008: an edit of features.json was undone and the agent told',
    `cd ${folder.app} && ./init.sh`,
    `log ${folder.app}`,
  ])
    expect(output).toContain(line);
});

test.each([
  [
    'a folder that cannot be made',
    () => '/proc/longhaul-demo',
    /^longhaul: The folder \/proc\/longhaul-demo cannot be made/,
  ],
  [
    'a folder with something else in it',
    strangeFolder,
    /cannot become the demo's app: it already holds main\.py\./,
  ],
  ['a run of another spec', otherRun, /holds a run of another spec than the demo's\./],
])('%s is refused before anything is started', async (_what, dirOf, reason) => {
  const folder = runFolder();
  const { code, output } = await runCli(['demo', '--dir', dirOf(folder)], folder.env(''));
  expect(output).toMatch(reason);
  expect(output).not.toContain('A script plays the model');
  expect(code).toBe(2);
});

function strangeFolder({ root }: RunFolder): string {
  const strange = join(root, 'strange');
  mkdirSync(strange);
  writeFileSync(join(strange, 'main.py'), 'print()\n');
  return strange;
}

function otherRun({ app, journal: path }: RunFolder): string {
  mkdirSync(dirname(path), { recursive: true });
  const journal = openJournal(path, systemClock);
  journal.append({
    type: 'run.begin',
    runId: 'a1b2c3d4e5f60718',
    branch: 'main',
    specSha256: 'of another spec',
    longhaul: '0.1.0',
    files: [],
  });
  journal.close();
  return app;
}

function evidenceOf({ app }: RunFolder, id: string): string {
  return join(app, '.git', 'longhaul', 'evidence', id);
}

/** Of the last session on the feature. */
function transcriptOf({ app }: RunFolder, records: readonly JournalRecord[], id: string): string {
  const begun = records.findLast(record => record.type === 'session.begin' && record.feature === id);
  const session = begun && 'session' in begun ? String(begun.session) : '';
  const path = join(app, '.git', 'longhaul', 'sessions', session.padStart(4, '0'), 'transcript.jsonl');
  return readFileSync(path, 'utf8');
}
