import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { LonghaulError } from '../../harness/base/errors.js';
import { until } from '../support/test-room.js';
import { casePath, testShell } from '../support/test-shell.js';

describe('what a command may be', () => {
  test.each([
    ['nothing that prints', ':', 0, ''],
    ['a failing command', 'false', 1, ''],
    ['a quiet grep', 'grep -q nothing /dev/null', 1, ''],
    ['both streams in their order', 'for i in 1 2; do echo o$i; echo e$i >&2; done', 0, 'o1\ne1\no2\ne2\n'],
    ['quotes of all kinds', `echo "it's" '"so"' \`echo now\` $'\\x41' \\'`, 0, `it's "so" now A '\n`],
    ['several lines', 'echo one\n\necho two\n', 0, 'one\ntwo\n'],
    ['a last line without line feed', 'printf no-newline', 0, 'no-newline'],
    ['a heredoc', "cat <<'EOF'\n$HOME 'x'\nEOF", 0, "$HOME 'x'\n"],
    ['a heredoc without an end', 'cat <<EOF\ntext', 0, /text\n/],
    ['a comment at the end', 'echo x # comment', 0, 'x\n'],
    ['a line that goes on nowhere', 'echo x \\', 0, 'x\n'],
    ['non-ASCII', 'echo 漢字 🦀', 0, '漢字 🦀\n'],
    ['many lines', `${'echo x\n'.repeat(3_000)}`, 0, 'x\n'.repeat(3_000)],
    ['a long argument', `printf %s ${'y'.repeat(100_000)} | wc -c`, 0, /^\s*100000\n/],
    ['an open quote', "echo 'abc", 2, /unexpected EOF/],
    ['an open brace', '{ echo x', 2, /syntax error/],
    ['nonsense', 'if then )', 2, /syntax error/],
    [
      'a program that is not there',
      'no-such-program',
      127,
      'bash: line 1: no-such-program: command not found\n',
    ],
    ['return', 'echo a; return 4; echo b', 4, 'a\n'],
    ['a failing pipe', 'set -o pipefail; false | true', 1, ''],
    ['a command killed by a signal', "bash -c 'kill -9 $$'", 137, /./],
    ['a redirected shell', 'exec >out.txt; echo x', 0, ''],
    ['a closed output', 'exec 1>&- 2>&-; echo x', 1, ''],
    ['a closed input', 'exec 0<&-; echo x', 0, 'x\n'],
    ['a script of the same', 'source /dev/stdin <<< "echo sourced"', 0, 'sourced\n'],
    ['tracing', 'set -x; echo x', 0, /\+ echo x\nx\n/],
    ['echoing its lines', 'set -v\necho x', 0, /x\n/],
    ['unset variables forbidden', 'set -u; echo a', 0, 'a\n'],
    ['POSIX mode', 'set -o posix; echo p', 0, 'p\n'],
    ['odd field separators', 'IFS=x; PS4=; echo a', 0, 'a\n'],
    ['a lost path', 'PATH=; echo a', 0, 'a\n'],
    ['a debug trap', "trap 'echo debug' DEBUG; :", 0, /debug/],
    ['an error trap', "trap 'echo failed' ERR; false", 1, 'failed\n'],
    ['functions named like our words', 'printf() { :; }; source() { :; }; cd() { :; }; echo a', 0, 'a\n'],
    ['reading what is not there', 'read -r line; echo "code $?"; cat; head -c1', 0, 'code 1\n'],
    ['jobs', 'sleep 0.1 & wait $!; echo waited', 0, 'waited\n'],
    ['a subshell that exits', '(exit 7)', 7, ''],
    ['few open files', 'ulimit -n 120; echo a', 0, 'a\n'],
    ['descriptors of its own', 'exec 3>f; echo x >&3; cat f; exec 3>&-', 0, 'x\n'],
  ])('%s', async (_, command, code, output) => {
    const { run } = testShell();
    const result = await run(command);
    expect(result).toMatchObject({ code, timedOut: false, restarted: null });
    if (typeof output === 'string') expect(result.output).toBe(output);
    else expect(result.output).toMatch(output);
    expect(await run('echo "still here"')).toMatchObject({
      code: 0,
      output: 'still here\n',
      restarted: null,
    });
  });

  test.each([
    ['exit', 'exit 3', 3],
    ['an error under set -e', 'set -e; false; echo not reached', 1],
    ['exec of a program', 'exec true', 0],
    ['exec of another shell', 'exec bash', 0],
    ['SIGKILL to itself', 'kill -9 $$', 137],
    ['SIGTERM to itself', 'kill -TERM $$', 143],
    ['an unset variable under set -u', 'set -u; echo $no_such_variable', expect.any(Number)],
  ])(
    '%s ends the shell: a new one begins in the same folder, without variables',
    async (_, command, code) => {
      const { run, app } = testShell({ GIVEN: 'given' });
      mkdirSync(join(app, 'sub'));
      await run('cd sub; own=own');
      expect(await run(`echo begun\n${command}`)).toMatchObject({
        code,
        restarted: 'by_call',
        cwd: join(app, 'sub'),
        output: expect.stringMatching(/^begun\n/),
      });
      expect(await run('echo "$GIVEN [$own]"; pwd')).toMatchObject({
        output: `given []\n${app}/sub\n`,
        restarted: null,
      });
    },
  );
});

test('the last words of a shell that ends are not lost', async () => {
  const { run } = testShell();
  for (const end of ['exit 1', 'kill -9 $$', 'exec true']) {
    const { output } = await run(`seq 1 100000; ${end}`, { maxCharacters: 1_000_000 });
    expect(output.length).toBe(588_895);
  }
});

describe('what lasts', () => {
  test('folder, variables, functions and umask last', async () => {
    const { run, app } = testShell({ PORT: '4711' });
    await run('mkdir -p "a b" && cd "a b"; export A=1; b=2; f() { echo f; }; umask 027');
    const { output, cwd } = await run('pwd; echo $A $b $PORT; f; umask');
    expect(output).toBe(`${app}/a b\n1 2 4711\nf\n0027\n`);
    expect(cwd).toBe(join(app, 'a b'));
  });

  test('exit is taken in the folder where it happens', async () => {
    const { run, app } = testShell();
    mkdirSync(join(app, 'sub'));
    expect(await run('cd sub; exit 1')).toMatchObject({ cwd: join(app, 'sub') });
    expect((await run('pwd')).output).toBe(`${app}/sub\n`);
  });

  test('set -e, tracing and redirections end with their call', async () => {
    const { run } = testShell();
    await run('set -e; set -x; exec >file 2>&1');
    expect(await run('false; echo on')).toMatchObject({ code: 0, output: 'on\n', restarted: null });
  });

  test('the harness is given its own variables by nobody', async () => {
    const { run } = testShell();
    const { output } = await run('env');
    expect(output).not.toMatch(/ANTHROPIC|VITEST/);
  });

  test('commands run one after the other, however they are asked for', async () => {
    const { run } = testShell();
    const results = await Promise.all([
      run('sleep 0.3; echo one'),
      run('echo two'),
      run('exit 5'),
      run('echo four'),
    ]);
    expect(results.map(({ output, code }) => `${output.trim()} ${code}`)).toEqual([
      'one 0',
      'two 0',
      ' 5',
      'four 0',
    ]);
  });
});

describe('the current folder is gone', () => {
  test('the next command runs in the first folder, and says so', async () => {
    const { run, app } = testShell();
    await run('mkdir t && cd t');
    expect(await run('rm -rf ../t')).toMatchObject({ code: 0, lostFolder: null });
    expect(await run('echo alive; pwd')).toMatchObject({
      output: `alive\n${app}\n`,
      lostFolder: join(app, 't'),
      cwd: app,
    });
    expect(await run('echo on')).toMatchObject({ lostFolder: null });
  });

  test('a folder that was made anew is entered again', async () => {
    const { run, app } = testShell();
    await run('mkdir t && cd t');
    rmSync(join(app, 't'), { recursive: true });
    mkdirSync(join(app, 't'));
    expect(await run('touch here; pwd -P')).toMatchObject({
      output: `${realpathSync(app)}/t\n`,
      lostFolder: null,
    });
    expect(existsSync(join(app, 't', 'here'))).toBe(true);
  });

  test('also when the shell ended in it', async () => {
    const { run, app } = testShell();
    await run('mkdir t && cd t');
    await run('rm -rf ../t; exit 1');
    expect(await run('pwd')).toMatchObject({ output: `${app}\n`, lostFolder: join(app, 't') });
  });
});

describe('what a command leaves behind', () => {
  test('a server that holds the pipe does not delay the result, and answers later calls', async () => {
    const { run, room } = testShell();
    const { base } = await room.ports();
    const started = await run(`${casePath('FC-026-server-holds-pipe.sh')} ${base}`);
    expect(started).toMatchObject({ code: 0, output: `ready on ${base}\n`, timedOut: false });
    const script = `fetch("http://127.0.0.1:${base}").then(r => r.text()).then(console.log)`;
    expect((await run(`node -e '${script}'`)).output).toBe('ok\n');
    await room.close();
    await expect(fetch(`http://127.0.0.1:${base}`)).rejects.toThrow();
  });

  test('its later output comes with a later call, apart from that call’s own', async () => {
    const { run, app } = testShell();
    await run('{ until [ -e go ]; do sleep 0.02; done; echo late; touch printed; } &');
    writeFileSync(join(app, 'go'), '');
    await until(() => existsSync(join(app, 'printed')));
    expect(await run('echo own')).toMatchObject({ output: 'own\n', background: 'late\n' });
    expect(await run('echo own')).toMatchObject({ output: 'own\n', background: '' });
  });

  test('it lives on when bash is replaced, and may still print', async () => {
    const { run, room } = testShell();
    await run('( while :; do echo tick; sleep 0.05; done ) &');
    await run('exit 1');
    await until(async () => (await run(':')).background.includes('tick'));
    expect(room.processes().length).toBeGreaterThan(1);
  });

  test('a shell that was killed between calls is replaced, and the next result says so', async () => {
    const { run, app, room } = testShell();
    const { output } = await run(
      `mkdir sub; cd sub; v=1; (until [ -e ${app}/go ]; do sleep 0.02; done; kill -9 $$) & echo $$`,
    );
    writeFileSync(join(app, 'go'), '');
    await until(() => !room.processes().includes(Number(output)));
    // It is gone from the table of processes a moment before its parent is told.
    await systemClock.sleep(200);
    expect(await run('echo "[$v]"; pwd')).toMatchObject({
      output: `[]\n${app}/sub\n`,
      restarted: 'before_call',
    });
  });

  test('close ends bash and what it left; the room is not needed for it', async () => {
    const { run, shell, room } = testShell();
    await run('sleep 801 &');
    await run('exit 1');
    await run('sleep 802 &');
    await shell.close();
    expect(room.processes()).toEqual([]);
    await expect(run('echo x')).rejects.toThrow(LonghaulError);
  });
});

test('text that looks like our marks does not end a command', async () => {
  const { run } = testShell();
  const { output } = await run("printf '0123456789abcdef done 0 /tmp\\0'; echo end");
  expect(output).toBe('0123456789abcdef done 0 /tmp␀end\n');
});

test('what a command lays in the place of our files is not written through, and stops nobody', async () => {
  const { run, room, app } = testShell();
  const folder = join(room.scratch, 'shell');
  await run(`echo precious > precious; ln -sf "$PWD/precious" "${folder}/command"`);
  expect((await run(`cat precious; mkfifo "${folder}/last-folder"; trap - EXIT; exit 0`)).output).toBe(
    'precious\n',
  );
  await run(`rm -rf "${folder}"; mkdir -p "${folder}/command/sub"`);
  expect(await run('pwd')).toMatchObject({ output: `${app}\n` });
  expect(readdirSync(folder)).toContain('command');
});
