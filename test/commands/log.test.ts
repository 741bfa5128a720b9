import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { logCommand } from '../../harness/commands/log.js';
import { columnsOf } from '../../harness/watch/columns.js';
import { acquireRunLock } from '../../harness/workspace/run-lock.js';
import { begin, session } from '../support/records.js';
import { keptOutput, watchedApp } from './watched-app.js';

const WHOLE = { session: undefined, follow: false, json: false };

describe('`log`', () => {
  it('tells the story into a pipe without any escape code, and on a terminal in colour that fits', async () => {
    const { app } = await watchedApp();
    const [file, terminal] = [keptOutput(null), keptOutput({ columns: 60 })];
    expect(await logCommand({ dir: app.root, ...WHOLE }, file.stream)).toBe(0);
    expect(file.text()).toMatch(/^run r1 on the branch main/);
    expect(file.text()).toContain('failed  1.2 s bash cat clean');
    expect(file.text()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    await logCommand({ dir: app.root, ...WHOLE }, terminal.stream);
    expect(terminal.text()).toContain('\x1b[31mfailed  1.2 s\x1b[39m bash cat clean');
    for (const line of terminal
      .text()
      .replace(/\x1b\[\d+m/g, '')
      .split('\n'))
      expect(columnsOf(line)).toBeLessThanOrEqual(60);
  });

  it.each([
    ['NO_COLOR', '1'],
    ['TERM', 'dumb'],
  ])('on a terminal with %s has no escape code', async (name, value) => {
    vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { app } = await watchedApp();
    const output = keptOutput({ columns: 80 });
    await logCommand({ dir: app.root, ...WHOLE }, output.stream);
    expect(output.text()).not.toContain('\x1b');
  });

  it('of one session shows only that, with what the model said', async () => {
    const { app } = await watchedApp();
    const output = keptOutput(null);
    await logCommand({ dir: app.root, ...WHOLE, session: '2' }, output.stream);
    expect(output.text()).toMatch(/^session 2: F-001\n/);
    expect(output.text()).toContain('    I look at the server.\n    clean\n');
    expect(output.text()).not.toContain('secret thoughts');
    expect(output.text()).not.toContain('session 1');
    expect(output.text()).toContain('ended, turn limit: it ended');
  });

  it('as JSON is a record a line, harmless and whole', async () => {
    const { app, journal } = await watchedApp();
    const output = keptOutput(null);
    await logCommand({ dir: app.root, ...WHOLE, json: true }, output.stream);
    expect(output.text()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    const records = output
      .text()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(records).toEqual(journal.records);
  });

  it.each([
    ['9', /^There is no session 9: the run has had 2, 1 to 2\.$/],
    ['two', /^--session must be the number of a session, not "two"\.$/],
    ['0', /^--session must be the number/],
    ['', /^--session must be the number/],
  ])('refuses --session %j with one sentence', async (given, sentence) => {
    const { app } = await watchedApp();
    const command = logCommand({ dir: app.root, ...WHOLE, session: given }, keptOutput(null).stream);
    await expect(command).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(sentence) });
  });

  it('refuses a folder without a run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'none-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await expect(logCommand({ dir: folder, ...WHOLE })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('There is no run in'),
    });
  });
});

describe('`log --follow`', () => {
  it('shows what comes while the run is held, and ends when it rests', async () => {
    const { app, append } = await watchedApp();
    const lock = await acquireRunLock(app, { startedAt: 0 });
    const output = keptOutput(null);
    const followed = logCommand({ dir: app.root, ...WHOLE, follow: true }, output.stream);
    await vi.waitFor(() => expect(output.text()).toContain('ended, turn limit'));
    append(...begin(3, 'F-002'));
    await vi.waitFor(() => expect(output.text()).toContain('session 3: F-002'));
    append(...session(3, 'F-002', 'turn_limit').slice(1), {
      type: 'run.parked',
      reason: 'stuck',
      detail: 'nothing moves',
      exitCode: 3,
    });
    await vi.waitFor(() => expect(output.text()).toContain('parked, stuck: nothing moves'));
    append({ type: 'person.note', text: 'the very last' } as never);
    await lock.release();
    expect(await followed).toBe(0);
    expect(output.text()).toContain('the very last');
    expect(output.text().match(/session 3: F-002/g)).toHaveLength(1);
  });

  it('of one session ends with it', async () => {
    const { app, append } = await watchedApp();
    const lock = await acquireRunLock(app, { startedAt: 0 });
    onTestFinished(() => lock.release());
    append(...begin(3, 'F-002'));
    const output = keptOutput(null);
    const followed = logCommand({ dir: app.root, session: '3', follow: true, json: false }, output.stream);
    await vi.waitFor(() => expect(output.text()).toContain('session 3'));
    append(...session(3, 'F-002', 'turn_limit').slice(1), ...begin(4, 'F-003'));
    expect(await followed).toBe(0);
    expect(output.text()).toContain('ended, turn limit');
    expect(output.text()).not.toContain('session 4');
  });

  it('says so when nobody works on a run that does not rest', async () => {
    const { app } = await watchedApp();
    const output = keptOutput(null);
    expect(await logCommand({ dir: app.root, ...WHOLE, follow: true }, output.stream)).toBe(0);
    expect(output.text().trim().split('\n').at(-1)).toMatch(
      /^nobody works on this run; longhaul run .* goes on/,
    );
  });
});

describe('the built `log`', () => {
  const start = (request: Record<string, unknown>) =>
    spawn(
      process.execPath,
      [
        join(packageRoot, 'test/commands/run-command.mjs'),
        'log',
        JSON.stringify({ follow: false, json: true, ...request }),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH } },
    );

  it('into a reader that goes away ends quietly with exit code 0', async () => {
    const { app, append } = await watchedApp();
    // More than a pipe holds.
    for (let n = 0; n < 60; n++) append({ type: 'list.restored', session: null, found: 'x'.repeat(20_000) });
    const child = start({ dir: app.root });
    let errors = '';
    child.stderr.on('data', chunk => {
      errors += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = await once(child, 'close');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it.each([
    ['Ctrl-C', 130],
    ['a reader that goes away', 0],
  ])('that follows ends at %s with exit code %i', async (what, exitCode) => {
    const { app, append } = await watchedApp();
    const lock = await acquireRunLock(app, { startedAt: 0 });
    onTestFinished(() => lock.release());
    const child = start({ dir: app.root, follow: true });
    await once(child.stdout, 'data');
    const closed = once(child, 'close');
    if (what === 'Ctrl-C') child.kill('SIGINT');
    else {
      child.stdout.destroy();
      append({ type: 'list.restored', session: null, found: 'x' });
    }
    expect((await closed)[0]).toBe(exitCode);
  });
});
