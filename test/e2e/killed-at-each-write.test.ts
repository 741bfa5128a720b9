import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contractHash } from '../../harness/features/contract.js';
import { parseFeatureList } from '../../harness/features/feature-list.js';
import { readJournal } from '../../harness/journal/read-journal.js';
import { reduce } from '../../harness/journal/reduce.js';
import { passedCount } from '../../harness/journal/run-state.js';
import { costOf, priceTable } from '../../harness/model/prices.js';
import { runRig } from '../support/rig.js';
import { RIG_FEATURES, rigPlay } from '../support/rig-scenario.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

/**
 * Each durable write of the order: where the run is killed, and the last records that the journal must hold then, so that
 * a name cannot drift away from its place. Session 1 lays out the project, session 2 builds F-001.
 */
const WRITES: [name: string, killAt: string, tail: string[]][] = [
  ['begin of the run', 'journal:run.begin#1', ['run.begin']],
  ['begin of the initializer', 'journal:session.begin#1', ['session.begin 1']],
  ['intent of the first commit', 'journal:commit.intent#1', ['commit.intent init']],
  ['swap of the first commit', 'git:refs/heads/main#1', ['commit.intent init']],
  ['end of the first commit', 'journal:commit.done#1', ['commit.intent init', 'commit.done init']],
  ['the frozen list', 'journal:init.done#1', ['commit.done init', 'init.done']],
  ['end of the initializer', 'journal:session.end#1', ['session.end 1']],
  ['begin of a session', 'journal:session.begin#2', ['session.begin 2']],
  ['a reservation', 'journal:spend.reserve#4', ['spend.reserve']],
  ['a settlement', 'journal:spend.settle#4', ['spend.settle']],
  ['begin of a verification', 'journal:verify.begin#1', ['verify.begin']],
  ['the evidence', 'rename:F-001#1', ['verify.begin']],
  ['a verdict', 'journal:verify.result#1', ['verify.begin', 'verify.result']],
  ['the objects of a flip', 'git:commit-tree#2', ['verify.begin', 'verify.result']],
  ['the intent of a flip', 'journal:commit.intent#2', ['verify.result', 'commit.intent flip']],
  ['the swap of a flip', 'git:refs/heads/main#2', ['verify.result', 'commit.intent flip']],
  ['the index after a flip', 'git:--reset#3', ['verify.result', 'commit.intent flip']],
  ['features.json after a flip', 'rename:features.json#3', ['verify.result', 'commit.intent flip']],
  ['the notes after a flip', 'rename:claude-progress.txt#2', ['verify.result', 'commit.intent flip']],
  ['the end of a flip', 'journal:commit.done#2', ['commit.intent flip', 'commit.done flip']],
  ['the end of a session', 'journal:session.end#2', ['session.end 2']],
];

describe('a run that is killed at', () => {
  it.each(WRITES)(
    '%s is finished by the same command, and everything agrees',
    { timeout: 60_000 },
    async (_, killAt, tail) => {
      const folder = runFolder();
      const standin = await standinFor(rigPlay);
      const killed = await runRig(folder, standin.url, { killAt });
      expect(killed.signal).toBe('SIGKILL');
      expect(tailOf(folder).slice(-tail.length)).toEqual(tail);

      const finished = await runRig(folder, standin.url);
      expect(`${finished.output}\n${finished.code}`).toMatch(/done: 2 of 2 features pass[^\n]*\n+0$/);
      expectAgreement(folder);
      // What the API billed is never more than what the journal counts.
      const price = priceTable();
      const billed = standin.billed.reduce(
        (sum, call) => sum + costOf(call.usage, price.priceOf(call.model)),
        0,
      );
      expect(reduce(readJournal(folder.journal).records).spentUsd).toBeGreaterThanOrEqual(billed - 1e-9);
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

/** The types of the records, with what tells them apart; those that only inform may be lost and are left out. */
function tailOf({ journal }: RunFolder): string[] {
  return readJournal(journal).records.flatMap(record => {
    if (record.type === 'turn.end' || record.type === 'tool.end') return [];
    if (record.type === 'session.begin' || record.type === 'session.end')
      return [`${record.type} ${record.session}`];
    if (record.type === 'commit.intent' || record.type === 'commit.done')
      return [`${record.type} ${record.purpose.kind}`];
    return [record.type];
  });
}

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
