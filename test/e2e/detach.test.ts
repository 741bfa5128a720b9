import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readJournal } from '../../harness/journal/read-journal.js';
import { call } from '../../harness/standin/scripted.js';
import { isAlive, until } from '../support/processes.js';
import { endOf, rigArguments, runCli, runRig, startRig } from '../support/rig.js';
import { rigPlay } from '../support/rig-scenario.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

const LONG = { timeout: 60_000 };
const DETACHED = { options: { detach: true } };
const DEAD = 'http://127.0.0.1:9';

describe('a run with --detach', () => {
  it('gives the terminal back once it is on, holds the lock, and builds to the end', LONG, async () => {
    const folder = runFolder();
    const gate = closedGate();
    const standin = await standinFor(async ask => {
      await gate.opened;
      const reply = await rigPlay(ask);
      // A careless model repeats the key.
      return JSON.parse(JSON.stringify(reply).replace('Laid out.', 'Laid out with sk-test-canary.'));
    });
    const { code, output } = await runRig(folder, standin.url, DETACHED);
    const pid = pidIn(output);
    expect(code).toBe(0);
    expect(output).toMatch(/^model .*, cap \$20/);
    expect(output).toContain(`its output is in ${logOf(folder)}`);
    expect(output).toMatch(/longhaul log \S+ --follow\n.*longhaul stop/s);
    expect(isAlive(pid)).toBe(true);

    for (const args of [['run'], ['resume', '--detach']]) {
      const second = await runCli([...args, folder.app, '--no-sandbox'], folder.env(standin.url));
      expect(second.output).toBe(
        `longhaul: ${folder.app} is being built by process ${pid}, since ${startedAt(folder)}; stop that one first (longhaul stop ${folder.app}), or watch it (longhaul status ${folder.app}).\n`,
      );
      expect(second.code).toBe(2);
    }
    gate.open();
    await until(() => !isAlive(pid));
    const log = readFileSync(logOf(folder), 'utf8');
    expect(log).toMatch(
      /^-- process \d+, .*\nmodel .*, cap \$20[^\n]*\nno walls[^\n]*\n[^\n]*the start is accepted: 2 features[\s\S]*\ndone: 2 of 2 features pass[^\n]*\n$/,
    );
    expect(statSync(logOf(folder)).mode & 0o777).toBe(0o600);
    // The key as the model repeated it.
    expect(log).toContain('Laid out with [removed].');
    expect(log).not.toContain('canary');
    expect(folder.git('status', '--porcelain')).toBe('');
    expect(readJournal(folder.journal).records.at(-1)).toMatchObject({ type: 'process.end', exitCode: 0 });

    const again = await runRig(folder, standin.url, DETACHED);
    expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/^done: 2 of 2 features pass/) });
    expect(readFileSync(logOf(folder), 'utf8')).toBe(log);
  });

  it('outlives its terminal and its shell, takes no hang-up, and stops when asked', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(() => call('bash', { command: 'touch ready; sleep 60' }));
    // As in a terminal: the shell leads a session, and a hang-up goes to the whole group.
    const words = [process.execPath, ...rigArguments(folder, DETACHED)].map(word => `'${word}'`);
    const shell = spawn('bash', ['-c', `${words.join(' ')}; sleep 60`], {
      detached: true,
      env: folder.env(standin.url),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    shell.stdout.on('data', chunk => {
      output += chunk;
    });
    await until(() => output.includes('To stop:'));
    const pid = pidIn(output);
    const gone = endOf(shell);
    process.kill(-(shell.pid ?? 0), 'SIGHUP');
    expect((await gone).signal).toBe('SIGHUP');
    process.kill(pid, 'SIGHUP');
    // No key that is typed there later reaches it either.
    expect(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim()).toBe(
      String(pid),
    );
    await until(() => existsSync(join(folder.app, 'ready')));
    expect(isAlive(pid)).toBe(true);

    const stop = await runCli(['stop', folder.app, '--now'], folder.env(DEAD));
    expect(stop.output).toContain(`process ${pid} saves and stops now`);
    await until(() => !isAlive(pid));
    expect(readFileSync(logOf(folder), 'utf8')).toMatch(
      /To go on: the command that started it\ninterrupted[^\n]*\n$/,
    );
  });
});

describe('a refusal of a run with --detach is told at the terminal', () => {
  it.each<[string, string[], RegExp, Record<string, string>?]>([
    ['no key', [], /set ANTHROPIC_API_KEY/, { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' }],
    ['no spec', [], /There is no spec in/],
    ['nothing but a plan', ['--plan'], /--plan ends before anything is built/],
  ])('%s, and nothing is left behind', async (_, args, sentence, env = {}) => {
    const folder = runFolder();
    const refused = await runCli(['run', folder.app, '--no-sandbox', '--detach', ...args], {
      ...folder.env(DEAD),
      ...env,
    });
    expect(refused).toMatchObject({ code: 2, output: expect.stringMatching(sentence) });
    expect(refused.output.trim().split('\n')).toHaveLength(1);
    expect(existsSync(folder.app)).toBe(false);
  });

  it('also one that only the process itself can find', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    const first = await runRig(folder, standin.url, { options: { flags: { maxSessions: 1 } } });
    expect(first.code).toBe(5);
    // Parked: the sentence and the code of a run at the terminal, and no request.
    const requests = standin.requests.length;
    const parked = await runRig(folder, standin.url, DETACHED);
    expect(parked).toMatchObject({ code: 5, output: expect.stringMatching(/^To go on: .*\nsession_limit/) });
    writeFileSync(join(folder.app, 'server.mjs'), 'a person was here\n');
    const dirty = await runRig(folder, standin.url, { options: { resume: true, detach: true } });
    expect(dirty).toMatchObject({
      code: 2,
      output: expect.stringMatching(/longhaul: .*has changes that no session made \(server\.mjs\)/),
    });
    expect(standin.requests.length).toBe(requests);
    expect(existsSync(logOf(folder))).toBe(false);
  });
});

describe('before its first session a run with --detach', () => {
  it('is stopped by Ctrl-C at the terminal, and nothing goes on', LONG, async () => {
    const folder = runFolder();
    const held = heldByGit(folder, 'sleep 2');
    const foreground = startRig(held.folder, DEAD, DETACHED);
    const ended = endOf(foreground);
    await until(() => held.pid() !== null);
    const pid = held.pid() ?? 0;
    expect(isAlive(pid)).toBe(true);
    foreground.kill('SIGINT');
    const { code, output } = await ended;
    expect(output).toMatch(/interrupted/);
    expect(code).toBe(130);
    expect(isAlive(pid)).toBe(false);
  });

  it('ends with a terminal that is killed', LONG, async () => {
    const folder = runFolder();
    const held = heldByGit(folder, 'sleep 2');
    const foreground = startRig(held.folder, DEAD, DETACHED);
    await until(() => held.pid() !== null);
    foreground.kill('SIGKILL');
    await until(() => !isAlive(held.pid() ?? 0));
    expect(readJournal(folder.journal).records.map(record => record.type)).not.toContain('session.begin');
  });

  it('that dies is told with its last words, and what killed it', LONG, async () => {
    const folder = runFolder();
    const held = heldByGit(folder, 'echo "last words" >> "$PWD/.git/longhaul/run.log"; kill -9 $PPID');
    const { code, output } = await runRig(held.folder, DEAD, DETACHED);
    expect(output).toMatch(/last words\nlonghaul: the process of the run ended .*\(signal SIGKILL\)/);
    expect(code).toBe(1);
  });
});

const logOf = ({ app }: RunFolder) => join(app, '.git', 'longhaul', 'run.log');
const startedAt = ({ app }: RunFolder): string =>
  JSON.parse(readFileSync(join(app, '.git', 'longhaul', 'run.json'), 'utf8')).startedAt;

/** The background process that a foreground told of. */
function pidIn(output: string): number {
  const pid = Number(/process (\d+) goes on in the background/.exec(output)?.[1]);
  if (!pid) throw new Error(`no process is named in ${JSON.stringify(output)}`);
  endWithTest(() => pid);
  return pid;
}

function endWithTest(pidOf: () => number | null): void {
  onTestFinished(() => {
    const pid = pidOf();
    if (pid !== null && isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
}

function closedGate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open };
}

/** A git that does something before it answers who the user is, which a run asks before its first session. */
function heldByGit(folder: RunFolder, what: string): { folder: RunFolder; pid(): number | null } {
  const bin = join(folder.root, 'bin');
  const mark = join(folder.root, 'held');
  mkdirSync(bin);
  const path = process.env.PATH ?? '';
  writeFileSync(
    join(bin, 'git'),
    `#!/usr/bin/env bash
case "$*" in *'config --get user.name') echo $PPID > ${mark}; ${what} ;; esac
PATH='${path}' exec git "$@"
`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  const pid = () => (existsSync(mark) ? Number(readFileSync(mark, 'utf8')) || null : null);
  endWithTest(pid);
  return { folder: { ...folder, env: url => ({ ...folder.env(url), PATH: `${bin}:${path}` }) }, pid };
}
