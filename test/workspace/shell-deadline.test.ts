import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processTable } from '../../harness/workspace/process-table.js';
import { until } from '../support/test-room.js';
import { casePath, testShell } from '../support/test-shell.js';

function living(pattern: RegExp): string[] {
  return processTable()
    .map(({ command }) => command)
    .filter(command => pattern.test(command));
}

describe('a command that asks', () => {
  test('is told at once that nobody answers', async () => {
    const { run } = testShell();
    const result = await run(casePath('FC-025-asks-stdin.sh'));
    expect(result).toMatchObject({ code: 3, timedOut: false });
    expect(result.output).toContain('Ok to proceed? (y)');
    expect(result.output).toContain('stdin closed: giving up');
  });
});

describe('at its deadline', () => {
  test('a family that ignores the polite signals is gone, and the shell goes on', async () => {
    const { run } = testShell();
    await run('v=kept');
    const result = await run(`${casePath('FC-028-ignores-term.sh')}; echo after`, { timeoutMs: 1_000 });
    expect(result).toMatchObject({ code: null, timedOut: true, output: expect.stringMatching(/^started\n/) });
    expect(result.output).not.toContain('after');
    expect(result.killed.join()).toContain('fc028-child-2');
    expect(living(/^fc028-child/)).toEqual([]);
    expect(await run('echo $v')).toMatchObject({ output: 'kept\n', restarted: null });
  });

  test.each([
    ['a program', 'sleep 811'],
    ['a loop of bash itself', 'while :; do sleep 0.05; done'],
    ['a loop that starts nothing', 'while :; do :; done'],
    ['nested functions', 'g() { while :; do sleep 0.05; done; }; f() { g; echo after; g; }; f'],
    ['a command substitution', 'x=$(sleep 811)'],
    ['a pipe', 'sleep 811 | cat'],
    ['wait', 'sleep 811 & wait'],
    ['a sourced file', 'echo "sleep 811; echo after" > file; . ./file'],
    ['a program in a session of its own', 'setsid -w sleep 811'],
    ['a command that ignores our signal', "trap '' URG; sleep 811"],
    ['reading a pipe that nobody writes to', 'mkfifo pipe; read -r x < pipe'],
  ])('%s is left, what comes after it is not run, and variables last', async (_, command) => {
    const { run } = testShell();
    await run('v=kept');
    const ignores = command.includes("trap ''");
    const result = await run(`echo begun\n${command}\n${ignores ? ':' : 'echo after'}`, { timeoutMs: 500 });
    expect(result).toMatchObject({ code: null, timedOut: true });
    expect(result.output).toMatch(/^begun\n/);
    expect(result.output).not.toContain('after');
    expect(living(/^sleep 811/)).toEqual([]);
    expect((await run('echo "[$v]"')).output).toBe('[kept]\n');
  });

  test.each([
    ['stopped', 'kill -STOP $$'],
    ['replaced by a program that ignores everything', "trap '' TERM INT HUP URG; exec sleep 821"],
    ['stuck in a place where it takes no signal', "trap '' URG TERM; while :; do :; done"],
  ])('a shell that is %s is replaced in the same folder', async (_, command) => {
    const { run, app } = testShell();
    await run('mkdir sub; cd sub; v=lost');
    expect(await run(command, { timeoutMs: 500 })).toMatchObject({
      timedOut: true,
      restarted: 'by_call',
      cwd: join(app, 'sub'),
    });
    expect(living(/^sleep 821/)).toEqual([]);
    expect((await run('echo "[$v]"; pwd')).output).toBe(`[]\n${app}/sub\n`);
  });

  test('everything that this call started goes, wherever it went; what earlier calls started stays', async () => {
    const { run } = testShell();
    const helpers = 'sleep 831 & (setsid sleep 832 &); ( while :; do sleep 0.05; done ) & ';
    await run(`${helpers} (setsid bash -c "exec -a old-server sleep 833" &) ; loop=$!`);
    const again = helpers.replaceAll('83', '84');
    const result = await run(`${again} (env -i sleep 844 &) ; sleep 845`, { timeoutMs: 600 });
    expect(result.timedOut).toBe(true);
    expect(living(/^sleep 84/)).toEqual([]);
    expect(living(/^(sleep 83|old-server)/).sort()).toEqual(['old-server 833', 'sleep 831', 'sleep 832']);
    expect((await run('kill -0 $loop; jobs -p | wc -l')).code).toBe(0);
  });

  test('what an old server starts during the call is not touched', async () => {
    const { run } = testShell();
    await run('bash -c "until [ -e go ]; do sleep 0.02; done; (setsid sleep 851 &); sleep 852" &');
    await run('touch go; sleep 853', { timeoutMs: 800 });
    expect(living(/^sleep 85/).sort()).toEqual(['sleep 851', 'sleep 852']);
  });

  test('a command that ends politely may say its last words', async () => {
    const { run } = testShell();
    const script = 'bash -c \'trap "echo tidied; exit" TERM; while :; do sleep 0.05; done\'';
    expect((await run(script, { timeoutMs: 500 })).output).toContain('tidied\n');
  });
});

describe('the signal of a session that is stopped', () => {
  test('cuts a command short', async () => {
    const { run, room } = testShell();
    const stop = new AbortController();
    const running = run('echo begun; sleep 861', { signal: stop.signal });
    await until(() => living(/^sleep 861/).length > 0);
    stop.abort();
    expect(await running).toMatchObject({
      code: null,
      interrupted: true,
      timedOut: false,
      output: expect.stringMatching(/^begun\n/),
    });
    expect(living(/^sleep 861/)).toEqual([]);
    expect(room.processes()).toHaveLength(1);
  });

  test('keeps a command that waits its turn from running at all', async () => {
    const { run } = testShell();
    const stop = new AbortController();
    const first = run('sleep 0.3');
    const second = run('touch ran', { signal: stop.signal });
    stop.abort();
    await first;
    expect(await second).toMatchObject({ interrupted: true, code: null });
    expect((await run('ls')).output).toBe('');
  });
});
