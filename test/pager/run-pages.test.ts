import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJournal } from '../../harness/journal/read-journal.js';
import { call } from '../../harness/standin/scripted.js';
import { runCli, runRig } from '../support/rig.js';
import { rigPlay } from '../support/rig-scenario.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';
import { nobody, receiver } from './receiver.js';

const LONG = { timeout: 60_000 };

/** Sets up the operator's file. */
function operator(folder: RunFolder, page: unknown): void {
  mkdirSync(join(folder.home, 'config', 'longhaul'), { recursive: true });
  writeFileSync(join(folder.home, 'config', 'longhaul', 'config.json'), JSON.stringify({ page }));
}

describe('a run', () => {
  it('that is stuck pages once with what to do, also after it was started again', LONG, async () => {
    const hook = await receiver('ok');
    const folder = runFolder();
    operator(folder, { webhook: hook.url });
    const standin = await standinFor(ask =>
      ask.feature !== 'F-002' || ask.turn > 0
        ? rigPlay(ask)
        : call('finish_session', {
            outcome: 'needs_person',
            summary: `It said ANTHROPIC_API_KEY=sk-test-canary and postgres://app:hunter2@db/x.`,
            progress: 'x',
          }),
    );
    expect(await runRig(folder, standin.url)).toMatchObject({ code: 6 });
    for (let time = 0; time < 3; time++) expect(await runRig(folder, standin.url)).toMatchObject({ code: 6 });
    expect(hook.bodies).toHaveLength(1);
    const body = hook.bodies[0] ?? '';
    expect(body).not.toMatch(/sk-test-canary|hunter2/);
    expect(JSON.parse(body)).toMatchObject({
      reason: 'needs_person',
      feature: 'F-002',
      sessions: 3,
      budgetUsd: 20,
    });
    expect(body).toContain('Answers F-002');
    expect(body).toContain(`longhaul resume ${folder.app}`);
  });

  it('whose receiver is dead ends as it would, and delivers at the next start', LONG, async () => {
    const folder = runFolder();
    operator(folder, { webhook: await nobody() });
    const standin = await standinFor(rigPlay);
    const { code, output } = await runRig(folder, standin.url);
    expect(code).toBe(0);
    expect(output.trim().split('\n').at(-1)).toMatch(/^done: 2 of 2/);
    expect(output).toContain('the page could not be sent by webhook: connect ECONNREFUSED');
    const hook = await receiver('ok');
    operator(folder, { webhook: hook.url });
    expect(await runRig(folder, standin.url)).toMatchObject({ code: 0 });
    expect(hook.bodies).toHaveLength(1);
    expect(JSON.parse(hook.bodies[0] ?? '')).toMatchObject({
      reason: 'done',
      next: `cd ${folder.app} && ./init.sh`,
    });
    const log = await runCli(['log', folder.app], folder.env(standin.url));
    expect(log.output).toContain('a person was paged by webhook');
  });

  it('writes a log file without escape codes, a line a session', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    const { output } = await runRig(folder, standin.url);
    expect(output).not.toMatch(/[\x1b\r]/);
    expect(output).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d session 2, F-001 Answers F-001: feature verified, 1 of 2 features pass, 2 turns, .*\$0\.\d\d in all/m,
    );
    expect(output.split('\n').length).toBeLessThan(20);
    const features = await runCli(['features', folder.app, 'F-002'], folder.env(standin.url));
    expect(features.output).toContain('seen green:');
    const before = readJournal(folder.journal).records.length;
    await runCli(['features', folder.app, '--json'], folder.env(standin.url));
    expect(readJournal(folder.journal).records).toHaveLength(before);
    expect(await runCli(['features', folder.app, 'F-9'], folder.env(standin.url))).toMatchObject({
      code: 2,
      output: 'longhaul: There is no feature "F-9"; did you mean F-001 or F-002?\n',
    });
  });

  it('whose app sets page is refused before anything', LONG, async () => {
    const folder = runFolder();
    mkdirSync(folder.app);
    writeFileSync(join(folder.app, 'longhaul.config.json'), '{"page": {"command": ["true"]}}');
    writeFileSync(join(folder.root, 'spec.md'), '# x\n');
    const { code, output } = await runCli(
      ['run', folder.app, '--no-sandbox', '--spec', join(folder.root, 'spec.md')],
      folder.env('http://127.0.0.1:9'),
    );
    expect({ code, output }).toEqual({
      code: 2,
      output: expect.stringContaining('lies where the agent can write'),
    });
    expect(readFileSync(join(folder.app, 'longhaul.config.json'), 'utf8')).toContain('page');
  });
});
