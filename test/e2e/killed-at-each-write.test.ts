import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contractHash } from '../../harness/features/contract.js';
import { parseFeatureList } from '../../harness/features/feature-list.js';
import { readJournal } from '../../harness/journal/read-journal.js';
import { reduce } from '../../harness/journal/reduce.js';
import { passedCount } from '../../harness/journal/run-state.js';
import { runRig } from '../support/rig.js';
import { RIG_FEATURES, rigPlay } from '../support/rig-scenario.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

/** Each durable write of the order, by where it happens: the record is on disk, nothing behind it has happened. */
const WRITES: [name: string, killAt: string][] = [
  ['begin of the run', 'journal:run.begin#1'],
  ['begin of the initializer', 'journal:session.begin#1'],
  ['intent of the first commit', 'journal:commit.intent#1'],
  ['swap of the first commit', 'git:update-ref#1'],
  ['end of the first commit', 'journal:commit.done#1'],
  ['the frozen list', 'journal:init.done#1'],
  ['begin of a session', 'journal:session.begin#2'],
  ['a reservation', 'journal:spend.reserve#4'],
  ['a settlement', 'journal:spend.settle#4'],
  ['begin of a verification', 'journal:verify.begin#1'],
  ['a verdict', 'journal:verify.result#1'],
  ['the objects of a commit', 'git:commit-tree#2'],
  ['the intent of a commit', 'journal:commit.intent#2'],
  ['the index after a commit', 'git:update-index#9'],
  ['features.json after a commit', 'rename:features.json#1'],
  ['the end of a commit', 'journal:commit.done#2'],
  ['the end of a session', 'journal:session.end#2'],
];

describe('a run that is killed at', () => {
  it.each(WRITES)(
    '%s is finished by the same command, and everything agrees',
    { timeout: 60_000 },
    async (_, killAt) => {
      const folder = runFolder();
      const standin = await standinFor(rigPlay);
      const killed = await runRig(folder, standin.url, { killAt });
      expect(killed.signal).toBe('SIGKILL');

      const finished = await runRig(folder, standin.url);
      expect(`${finished.output}\n${finished.code}`).toMatch(/done: 2 of 2 features pass[^\n]*\n+0$/);
      expectAgreement(folder);
      // What the API billed is never more than what the journal counts.
      const billed = standin.billed.length;
      const settled = readJournal(folder.journal).records.filter(
        record => record.type === 'spend.settle',
      ).length;
      const reserved = readJournal(folder.journal).records.filter(
        record => record.type === 'spend.reserve',
      ).length;
      expect(settled).toBeLessThanOrEqual(reserved);
      expect(billed).toBeLessThanOrEqual(reserved);
    },
  );

  it('any write leaves nothing that a third start would change', { timeout: 60_000 }, async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    await runRig(folder, standin.url, { killAt: 'journal:commit.intent#2' });
    await runRig(folder, standin.url);
    const before = [
      folder.git('rev-parse', 'HEAD'),
      readFileSync(join(folder.app, 'features.json'), 'utf8'),
      standin.requests.length,
    ];
    expect((await runRig(folder, standin.url)).code).toBe(0);
    expect([
      folder.git('rev-parse', 'HEAD'),
      readFileSync(join(folder.app, 'features.json'), 'utf8'),
      standin.requests.length,
    ]).toEqual(before);
  });
});

/** List on disk, list in git, journal and evidence say the same, by reading them and not by asking the product. */
function expectAgreement(folder: RunFolder): void {
  const state = reduce(readJournal(folder.journal).records);
  expect(state.phase).toBe('done');
  expect(passedCount(state)).toBe(2);
  expect(state.open).toBeNull();
  expect(state.pendingCommit).toBeNull();
  expect(state.pendingFlip).toBeNull();

  const onDisk = readFileSync(join(folder.app, 'features.json'), 'utf8');
  const parsed = parseFeatureList(onDisk);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  expect(parsed.list.map(feature => feature.passes)).toEqual([true, true]);
  expect(contractHash(parsed.list)).toBe(state.contractSha256);
  expect(folder.git('show', 'HEAD:features.json')).toBe(onDisk.trim());
  expect(folder.git('status', '--porcelain')).toBe('');
  expect(folder.git('fsck', '--strict', '--no-dangling')).toBe('');
  expect(readdirSync(join(folder.app, '.git')).filter(name => name.endsWith('.lock'))).toEqual([]);

  for (const id of RIG_FEATURES) {
    const commits = folder.git('log', '--format=%H', `--grep=Longhaul-Feature: ${id}`).split('\n');
    expect(commits).toHaveLength(1);
    const evidence = join(folder.app, '.git', 'longhaul', 'evidence', id, 'result.json');
    const hash = createHash('sha256').update(readFileSync(evidence)).digest('hex');
    expect(folder.git('log', '-1', '--format=%B', commits[0] ?? '')).toContain(`Longhaul-Evidence: ${hash}`);
    // The flip changes one line of the list and nothing else in it.
    const diff = folder
      .git('diff', '-U0', `${commits[0]}^`, commits[0] ?? '', '--', 'features.json')
      .split('\n');
    expect(diff.filter(line => /^[-+] /.test(line))).toEqual(['-    "passes": false', '+    "passes": true']);
  }
  const rooms = join(folder.stateHome, 'longhaul', 'rooms');
  for (const name of existsSync(rooms) ? readdirSync(rooms) : [])
    expect(readdirSync(join(rooms, name))).toEqual([]);
}
