import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJournal } from '../../harness/journal/read-journal.js';
import type { EvidenceResult } from '../../harness/verify/evidence.js';
import { runCli } from '../support/rig.js';
import { runFolder } from '../support/run-folder.js';

it('the demo builds three features, is killed in the third, and is finished by the same command', {
  timeout: 300_000,
}, async () => {
  const folder = runFolder();
  const { code, output } = await runCli(['demo', '--crash', '--dir', folder.app], {
    ...folder.env(''),
    ANTHROPIC_API_KEY: '',
  });
  expect(output).toMatch(/\ndone: 3 of 3 features pass, 5 sessions, \$\d+\.\d\d \(simulated\), [\d.]+ s\n$/);
  expect(code).toBe(0);
  expect(output).toMatch(/F-002 is not verified, red: Red in step "Reload the page/);
  expect(output).toContain('killed the run (SIGKILL) during F-003');

  const { records } = readJournal(folder.journal);
  const verdicts = records.flatMap(record =>
    record.type === 'verify.result' ? [`${record.feature} ${record.verdict}`] : [],
  );
  expect(verdicts).toEqual(['F-001 green', 'F-002 red', 'F-002 green', 'F-003 green']);
  expect(records.flatMap(record => (record.type === 'session.abandoned' ? [record.session] : []))).toEqual([
    4,
  ]);
  expect(records.some(record => record.type === 'list.restored')).toBe(false);

  for (const id of ['F-001', 'F-002', 'F-003']) {
    const evidence = join(folder.app, '.git', 'longhaul', 'evidence', id);
    const result: EvidenceResult = JSON.parse(readFileSync(join(evidence, 'result.json'), 'utf8'));
    expect(result).toMatchObject({ feature: id, verdict: 'green', blank: { verdict: 'red' } });
    for (const file of ['trace.zip', 'final.png'])
      expect(statSync(join(evidence, file)).size).toBeGreaterThan(1_000);
    const steps = (result.details as { tests: { steps: { title: string }[] }[] }).tests[0]?.steps.map(
      step => step.title,
    );
    const list = JSON.parse(folder.git('show', 'HEAD:features.json')) as { id: string; steps: string[] }[];
    expect(steps).toEqual(list.find(feature => feature.id === id)?.steps);
  }

  expect(folder.git('status', '--porcelain')).toBe('');
  expect(folder.git('log', '--format=%s').split('\n')).toHaveLength(4);
  // The app that is left comes up for a person.
  const checked = execFileSync('bash', ['init.sh', 'check'], { cwd: folder.app, encoding: 'utf8' });
  expect(checked).toContain('ok');
});
