import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import type { Finding } from '../../harness/commands/finding.js';
import { readJournal } from '../../harness/journal/read-journal.js';
import { costOf, priceTable } from '../../harness/model/prices.js';
import { type Play, say } from '../../harness/standin/scripted.js';
import type { StandinOptions } from '../../harness/standin/server.js';
import { endOf, runCli, runRig } from '../support/rig.js';
import { rigPlay } from '../support/rig-scenario.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

const LONG = { timeout: 60_000 };
const KEY = 'sk-test-canary';

function pricedStandin(options: Omit<StandinOptions, 'scenario'> = {}, play: Play = () => say('ok')) {
  const table = priceTable();
  return standinFor(play, {
    prices: (model, usage) => costOf(usage, table.priceOf(model)),
    ...options,
  });
}

const live = (folder: RunFolder, url: string, ...args: string[]) =>
  runCli(['doctor', folder.app, '--live', ...args], folder.env(url));

/** What lies in the operator's state of what was seen, as text. */
function seenIn({ stateHome }: RunFolder): string {
  const folder = join(stateHome, 'longhaul', 'seen-api');
  return readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

function prefixesOf(standin: Awaited<ReturnType<typeof standinFor>>, from: number) {
  return standin.requests.slice(from).flatMap(({ path, body }) => {
    const { tools = [], system } = body as { tools?: object[]; system?: { text: string }[] };
    return path.startsWith('/v1/messages') && system ? [{ tools, system: system[0]?.text ?? '' }] : [];
  });
}

describe('`doctor --live`', () => {
  it(
    'decides what the sessions of a run send, between two processes, and the journal tells it',
    LONG,
    async () => {
      const folder = runFolder();
      const standin = await pricedStandin({}, rigPlay);
      const maxSessions = (n: number) => ({ options: { flags: { maxSessions: n }, resume: n > 1 } });
      await runRig(folder, standin.url, maxSessions(1));
      expect(JSON.stringify(prefixesOf(standin, 0))).not.toContain('bash_20250124');

      const before = standin.requests.length;
      const first = await live(folder, standin.url, '--yes');
      expect(first).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^ok {6}bash_20250124: accepted/m),
      });
      const second = await live(folder, standin.url, '--yes');
      expect(second.output).toMatch(/^ok {6}cache: the second call read \d+ of \d+ tokens/m);
      expect(seenIn(folder)).toContain(`"address": "${standin.url}"`);
      expect(seenIn(folder)).not.toContain(KEY);

      const after = standin.requests.length;
      expect(after).toBeGreaterThan(before);
      expect((await runRig(folder, standin.url, maxSessions(2))).code).toBe(5);
      expect((await runRig(folder, standin.url, maxSessions(9))).code).toBe(0);
      const sent = prefixesOf(standin, after);
      expect(new Set(sent.map(each => JSON.stringify(each))).size).toBe(1);
      expect(sent[0]?.tools).toContainEqual({ type: 'bash_20250124', name: 'bash' });
      expect(sent[0]?.tools).toContainEqual({
        type: 'text_editor_20250728',
        name: 'str_replace_based_edit_tool',
      });
      expect(sent[0]?.system).toContain('# The tool str_replace_based_edit_tool\n');
      // What doctor asked for was the same prefix.
      expect(prefixesOf(standin, before)).toContainEqual(sent[0]);

      const { records } = readJournal(folder.journal);
      const epochs = records.flatMap((record, at) =>
        record.type === 'prefix.begin' ? [[record.cause, records[at + 1]?.type]] : [],
      );
      expect(epochs).toEqual([
        ['first', 'session.begin'],
        ['tools', 'session.begin'],
      ]);
      const log = await runCli(['log', folder.app], folder.env(standin.url));
      expect(log.output.match(/a new prefix of all sessions: the tools are now bash_20250124/g)).toHaveLength(
        1,
      );
    },
  );

  it('leaves out a type that is refused, and a run does too', LONG, async () => {
    const folder = runFolder();
    const standin = await pricedStandin({ accepts: { toolTypes: ['text_editor_20250728'] } }, rigPlay);
    const { code, output } = await live(folder, standin.url, '--yes');
    expect(code).toBe(0);
    expect(output).toMatch(/^note {4}bash_20250124: refused, runs do without it: .*Input tag/m);
    const before = standin.requests.length;
    await runRig(folder, standin.url, { options: { flags: { maxSessions: 1 } } });
    const [sent] = prefixesOf(standin, before);
    expect(JSON.stringify(sent?.tools)).not.toContain('bash_20250124');
    expect(JSON.stringify(sent?.tools)).toContain('text_editor_20250728');
    // People read of the tool, whatever name the model called it by.
    const called = readJournal(folder.journal).records.flatMap(record =>
      record.type === 'tool.end' ? [record.tool] : [],
    );
    expect(called).toEqual(['text_editor', 'text_editor', 'text_editor', 'finish_session']);
  });

  it.each<[string, string[], StandinOptions['accepts'], RegExp]>([
    [
      'a key that is refused',
      [],
      { keys: ['other'] },
      /^MISSING api: .*refuses the key: invalid x-api-key$/m,
    ],
    [
      'a model that is not known',
      ['--model', 'claude-no'],
      {},
      /^MISSING model: .*does not know claude-no: /m,
    ],
  ])('tells of %s with exit code 2, and keeps nothing', async (_, args, accepts = {}, line) => {
    const folder = runFolder();
    const standin = await pricedStandin({ accepts });
    const { code, output } = await live(folder, standin.url, '--yes', ...args);
    expect(output).toMatch(line);
    expect(output).toContain('cost: $0.0000');
    expect(output).not.toContain(KEY);
    expect(code).toBe(2);
    expect(() => seenIn(folder)).toThrow('ENOENT');
  });

  it('tells of an address where nobody answers', async () => {
    const { code, output } = await live(runFolder(), 'http://127.0.0.1:9', '--yes');
    expect(output).toMatch(/^MISSING api: http:\/\/127\.0\.0\.1:9 is not reached: /m);
    expect(code).toBe(2);
  });

  it('asks nothing of an API for which there is no key', async () => {
    const folder = runFolder();
    const { code, output } = await runCli(['doctor', '--live', '--yes'], {
      ...folder.env(''),
      ANTHROPIC_API_KEY: '',
    });
    expect(output).toMatch(/^note {4}api: not asked: there is no key$/m);
    expect(code).toBe(2);
  });

  it.each([
    ['without a terminal', ['--live'], /there is no terminal to ask on; say --yes/],
    ['an address that is none', ['--live', '--yes'], /which is no http or https address/, 'not-a-url'],
    ['--yes for nothing', ['--yes'], /--yes and --model belong to doctor --live/],
    ['a model for nothing', ['--model', 'x'], /--yes and --model belong to doctor --live/],
  ])('is refused in one sentence, with nothing asked: %s', async (_, args, sentence, address?: string) => {
    const standin = await pricedStandin();
    const { code, output } = await runCli(['doctor', ...args], runFolder().env(address ?? standin.url));
    expect(output).toMatch(sentence);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
    expect(standin.requests).toHaveLength(0);
  });

  // `script` of other systems takes other arguments.
  it.skipIf(process.platform !== 'linux').each([
    ['no answer', '', 0],
    ['a yes', 'y\n', 7],
  ])(
    'says on a terminal what it will ask and cost, and takes %s for an answer',
    async (_, typed, requests) => {
      const standin = await pricedStandin();
      const output = await onTerminal(runFolder(), standin.url, typed);
      expect(output).toMatch(/up to 5 paid calls to claude-opus-5-5, at most \$0\.05 \(by the prices of/);
      expect(standin.requests).toHaveLength(requests);
    },
  );

  it.each(['claude-opus-5-5', 'claude-haiku-4-5', 'claude-opus-4-1', 'claude-of-tomorrow'])(
    'never costs more than $0.05: %s',
    async model => {
      const one = {
        displayName: model,
        line: null,
        maxInputTokens: 200_000,
        maxTokens: 64_000,
        prefill: false,
      };
      const standin = await pricedStandin({ models: [{ id: model, ...one }] });
      const args = ['--yes', '--json', '--model', model];
      const { code, output } = await live(runFolder(), standin.url, ...args);
      expect(standin.billedUsd).toBeGreaterThan(0);
      expect(standin.billedUsd).toBeLessThanOrEqual(0.05);
      const findings: Finding[] = JSON.parse(output.slice(output.indexOf('[')));
      const cost = findings.find(({ what }) => what === 'cost');
      expect(cost?.text).toBe(`$${standin.billedUsd?.toFixed(4)} of at most $0.05`);
      const cache = findings.find(({ what }) => what === 'cache');
      // The dearest ones cannot afford to send their prefix: that is said, and not sent.
      const dear = priceTable().priceOf(model).input > 10;
      expect(cache).toMatchObject(
        dear ? { state: 'better', text: expect.stringContaining('may cost $') } : { state: 'ok' },
      );
      expect(code).toBe(0);
    },
  );
});

/** Runs the command on a terminal of its own, where a person types that once asked. */
async function onTerminal(folder: RunFolder, url: string, typed: string): Promise<string> {
  const command = `'${process.execPath}' '${join(packageRoot, 'dist/main.js')}' doctor --live`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: folder.env(url), stdio: 'pipe' });
  child.stdout.on('data', chunk => {
    if (String(chunk).includes('Ask it?')) child.stdin.end(typed);
  });
  return (await endOf(child)).output;
}
