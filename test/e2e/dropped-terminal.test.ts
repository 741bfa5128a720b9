import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { shellWord } from '../../harness/base/shell-word.js';
import { readJournal } from '../../harness/journal/read-journal.js';
import { call } from '../../harness/standin/scripted.js';
import { endOf, runRig } from '../support/rig.js';
import { rigPlay } from '../support/rig-scenario.js';
import { runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

/** util-linux's: runs a command on a terminal of its own, which is gone when it is killed. */
const HAS_SCRIPT = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

it.runIf(HAS_SCRIPT)(
  'a run whose terminal is gone saves and stops as by Ctrl-C, and the same command goes on',
  { timeout: 60_000 },
  async () => {
    const folder = runFolder();
    let hold = true;
    const standin = await standinFor(ask => {
      if (!hold || ask.feature !== 'F-001') return rigPlay(ask);
      return call('bash', {
        command: `mkdir -p features && touch features/F-001 ${folder.root}/ready; sleep 60`,
      });
    });
    writeFileSync(join(folder.root, 'spec.md'), '# A rig\n');
    const run = [process.execPath, join(packageRoot, 'test/support/rig-run.mjs'), folder.app];
    const command = [...run, join(folder.root, 'spec.md'), '{}'].map(shellWord).join(' ');
    const terminal = spawn('script', ['-qfec', command, '/dev/null'], {
      env: folder.env(standin.url),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const gone = endOf(terminal);
    await until(() => existsSync(join(folder.root, 'ready')));
    terminal.kill('SIGKILL');
    await gone;
    await until(() => readFileSync(folder.journal, 'utf8').includes('"process.end"'));
    const { records } = readJournal(folder.journal);
    expect(records.at(-1)).toMatchObject({ type: 'process.end', exitCode: 130 });
    expect(records).toContainEqual(expect.objectContaining({ type: 'run.parked', reason: 'interrupted' }));
    // What the session had done is kept.
    const end = records.find(record => record.type === 'session.end' && record.session === 2);
    expect(end).toMatchObject({ reason: 'interrupted' });
    hold = false;
    expect((await runRig(folder, standin.url)).output.trim().split('\n').at(-1)).toMatch(/^done: 2 of 2/);
    expect(readJournal(folder.journal).records.some(record => record.type === 'session.abandoned')).toBe(
      false,
    );
  },
);

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (condition()) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('it did not happen within 30 s');
}
