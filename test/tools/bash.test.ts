import { describe, expect, test } from 'vitest';
import { loadPrompt } from '../../harness/context/prompts.js';
import { bashTool, RESULT_CHARACTERS, resultText } from '../../harness/tools/bash.js';
import { ToolSet } from '../../harness/tools/tool-set.js';
import type { ShellResult } from '../../harness/workspace/shell.js';
import { casePath, testShell } from '../support/test-shell.js';

function testTool(defaultTimeoutMs?: number) {
  const parts = testShell();
  const tool = bashTool({
    shell: parts.shell,
    description: loadPrompt('tools/bash'),
    ...(defaultTimeoutMs === undefined ? {} : { defaultTimeoutMs }),
  });
  const call = (command: string, timeoutSeconds?: number) =>
    tool.run({ command, ...(timeoutSeconds ? { timeoutSeconds } : {}) }, new AbortController().signal);
  return { ...parts, tool, call };
}

describe('a result', () => {
  test.each([
    [
      'output and code',
      'echo hello; exit_code() { return 3; }; exit_code',
      /^hello\n\[exit code 3, \d+\.\d s\]$/,
    ],
    ['success without output', 'true', /^\[no output, exit code 0, \d+\.\d s\]$/],
    ['failure without output', 'false', /^\[no output, exit code 1, \d+\.\d s\]$/],
    ['blank output', 'echo; echo "  "', /^\[no output, exit code 0/],
    ['indentation at the beginning', 'echo "  indented"', /^ {2}indented\n\[exit code 0/],
    [
      'another folder',
      'mkdir sub && cd sub',
      /\[no output, exit code 0, \d+\.\d s, now in \/.+\/app\/sub\]$/,
    ],
    [
      'the end of the shell',
      'exit 3',
      /exit code 3.*\n\[The shell itself has ended\. The next call gets a new one in \/.+\/app, /,
    ],
  ])('tells of %s, and is no error', async (_, command, text) => {
    const { call } = testTool();
    const result = await call(command);
    expect(result.text).toMatch(text);
    expect(result.isError).toBeUndefined();
  });

  test('tells of a folder that is gone', async () => {
    const { call, app } = testTool();
    await call('mkdir t && cd t');
    await call('rm -rf ../t');
    expect((await call('echo alive')).text).toMatch(
      new RegExp(`^\\[The current folder ${app}/t is gone; this ran in ${app}\\.\\]\\nalive\\n`),
    );
  });

  test('at a deadline says what was ended and what would work, and is an error', async () => {
    const { call } = testTool();
    const { text, isError } = await call('echo begun; sleep 901', 1);
    expect(isError).toBe(true);
    expect(text).toMatch(/^begun\n/);
    expect(text).toContain('Stopped at its deadline of 1 s. Ended: sleep 901.');
    expect(text).toContain('in the background with its output in a file');
  });

  test('takes its deadline from the session when the call names none', async () => {
    const { call } = testTool(400);
    expect((await call('sleep 911')).text).toContain('Stopped at its deadline of 0.4 s');
  });

  test('of a flood keeps to its limit', async () => {
    const { call } = testTool();
    await call('{ sleep 0.1; seq 100000; } &');
    await call('sleep 0.5; mkdir -p "$(printf "d%.0s" {1..200})"; cd d*');
    const { text } = await call(casePath('FC-022-emoji-boundary.sh'));
    expect(text.length).toBeLessThanOrEqual(RESULT_CHARACTERS);
    expect(text.length).toBeGreaterThan(RESULT_CHARACTERS - 4_000);
    expect(text).toMatch(/\[… [\d,]+ bytes left out here; the whole output is in .+ …\]/);
    expect(/[\ud800-\udfff]/u.test(text)).toBe(false);
  });

  test('never exceeds its limit, however much there is to say', () => {
    const result: ShellResult = {
      code: null,
      output: 'z'.repeat(RESULT_CHARACTERS - 3_500),
      background: 'b'.repeat(1_500),
      timedOut: true,
      interrupted: false,
      killed: Array.from({ length: 100 }, () => 'k'.repeat(80)),
      restarted: 'by_call',
      lostFolder: `/${'l'.repeat(4_000)}`,
      cwd: `/${'c'.repeat(4_000)}`,
      ms: 3_600_000,
    };
    const text = resultText(result, { root: '/app', timeoutMs: 3_600_000 });
    expect(text.length).toBeLessThanOrEqual(RESULT_CHARACTERS);
    expect(text).toContain('and 95 more');
  });

  test('keeps apart what background processes printed', () => {
    const result: ShellResult = {
      code: 0,
      output: 'own\n',
      background: 'late\n',
      timedOut: false,
      interrupted: false,
      killed: [],
      restarted: 'before_call',
      lostFolder: null,
      cwd: '/app',
      ms: 120,
    };
    expect(resultText(result, { root: '/app', timeoutMs: 1_000 })).toBe(
      [
        '[The shell had ended since the last call; this ran in a new one, without the variables and functions set before.]',
        '[Background processes have printed since the last call:]',
        'late',
        '[This call:]',
        'own',
        '[exit code 0, 0.1 s]',
      ].join('\n'),
    );
  });
});

describe('a restart', () => {
  const restart = { restart: true };

  test('gives a new shell in the first folder, without what the old one knew and ran', async () => {
    const { tool, call, app } = testTool();
    const signal = new AbortController().signal;
    await call('export KNOWN=yes; mkdir -p sub && cd sub; sleep 931 & echo $! >../pid');
    expect(await tool.run(restart, signal)).toEqual({ text: `[A new shell in ${app}.]` });
    const after = await call('echo "known: $KNOWN"; pwd; ps -o stat= -p $(cat pid) | grep -v Z || echo gone');
    expect(after.text.split('\n').slice(0, 2)).toEqual(['known: ', app]);
    expect(after.text).toContain('gone');
    expect(after.text).not.toContain('had ended');
  });

  test('may stand before a command, and before the first one', async () => {
    const { tool } = testTool();
    const { text } = await tool.run({ ...restart, command: 'echo first' }, new AbortController().signal);
    expect(text).toMatch(/^first\n\[exit code 0/);
  });

  test('is not asked for by `false`', async () => {
    const { tool } = testTool();
    const refused = await tool.run({ restart: false }, new AbortController().signal);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('The command is empty') });
  });
});

describe('input that cannot be run', () => {
  test.each([
    ['nothing', '  \n', /empty/],
    ['a NUL', 'echo a\0b', /NUL character/],
  ])('%s is an error that says what would work', async (_, command, text) => {
    const { call } = testTool();
    expect(await call(command)).toMatchObject({ isError: true, text: expect.stringMatching(text) });
  });

  test.each([
    [{}, /command/],
    [{ command: 'x', timeoutSeconds: 0 }, /timeoutSeconds must be >= 1/],
    [{ command: 'x', timeoutSeconds: 3_601 }, /timeoutSeconds must be <= 3600/],
    [{ command: 'x', timeout: 5 }, /timeout/],
  ])('%j does not pass the schema', (input, problem) => {
    const { tool } = testTool();
    expect(new ToolSet([tool]).check('bash', input)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(problem),
    });
  });
});

test('a session that is stopped ends the command, and the result says so', async () => {
  const { tool } = testTool();
  const stop = new AbortController();
  const running = tool.run({ command: 'kill -0 $$; sleep 921' }, stop.signal);
  stop.abort();
  expect(await running).toMatchObject({ isError: true, text: expect.stringContaining('Interrupted') });
});
