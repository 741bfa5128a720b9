import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { isRoot } from '../../harness/browser/launch-flags.js';
import { call } from '../../harness/standin/scripted.js';
import { diskSnapshot } from '../support/disk-snapshot.js';
import { type Ended, endOf, runCli, runRig, startRig } from '../support/rig.js';
import { rigPlay } from '../support/rig-scenario.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

/** A refusal comes within ten seconds; five times that is a hang. */
const REFUSAL = { timeout: 50_000 };
const LONG = { timeout: 60_000 };
const DEAD = 'http://127.0.0.1:9';
const RUN = ['run', 'APP', '--no-sandbox'];
const WITH_SPEC = [...RUN, '--spec', 'SPEC'];

/** What the arguments of the table stand for: paths in a folder that was laid out for the test. */
function layOut({ root, app }: RunFolder): Record<string, string> {
  const at = (name: string) => join(root, name);
  const write = (name: string, content: string | Buffer) => writeFileSync(at(name), content);
  for (const name of ['strange', 'pictures', 'taken', 'texts', 'bin', 'piped']) mkdirSync(at(name));
  write('spec.md', '# An app\n');
  write('empty.md', ' \n');
  write('strange/main.py', 'print(1)\n');
  write('pictures/start.png', 'x');
  write('texts/a.md', 'a');
  write('texts/b.md', 'b');
  write('photo.md', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0xff, 0x00]));
  write('huge.md', 'long '.repeat(300_000));
  write('words.json', 'patience = 9');
  execFileSync('mkfifo', [at('pipe'), at('piped/spec.md')]);
  for (const name of ['taken', 'bare.git'])
    execFileSync('git', ['init', '-q', ...(name === 'bare.git' ? ['--bare'] : []), at(name)]);
  const person = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  execFileSync('git', ['-C', at('taken'), ...person, 'commit', '-q', '--allow-empty', '-m', 'Begin']);
  // A PATH on which there is everything that a start needs but git.
  symlinkSync(process.execPath, at('bin/node'));
  return {
    APP: app,
    SPEC: at('spec.md'),
    EMPTY: at('empty.md'),
    STRANGE: at('strange'),
    PICTURES: at('pictures'),
    TAKEN: at('taken'),
    BARE: at('bare.git'),
    TEXTS: at('texts'),
    PHOTO: at('photo.md'),
    HUGE: at('huge.md'),
    PIPE: at('pipe'),
    PIPED: at('piped'),
    WORDS: at('words.json'),
    BELOW_A_FILE: at('spec.md/app'),
    BIN: at('bin'),
  };
}

type Case = [what: string, args: string[], sentence: RegExp, env?: Record<string, string>];

const USAGE: Case[] = [
  ['a misspelt option', [...RUN, '--buget', '5'], /no such option or argument: buget/],
  ['a misspelt command', ['rnu', 'APP'], /no such command\. Did you mean run\?/],
  ['no folder', ['run'], /A folder is missing/],
  ['a folder that is an empty text', ['run', '', '--no-sandbox'], /The folder is an empty text/],
  ['an option without its value', [...RUN, '--spec'], /--spec needs a value/],
  ['an option of the demo given twice', ['demo', '--dir', 'a', '--dir', 'b'], /--dir is given 2 times/],
  ['an option given twice', [...RUN, '--turns', '1', '--turns', '2'], /--turns is given 2 times/],
  ['no word about walls', ['run', 'APP', '--spec', 'SPEC'], /--no-sandbox/],
];

const VALUES: Case[] = [
  ['a word for a number', [...RUN, '--turns', 'many'], /--turns must be a number, not "many"/],
  ['a number in hexadecimal', [...RUN, '--budget', '0x10'], /--budget must be a number, not "0x10"/],
  ['a negative budget', [...RUN, '--budget=-1'], /--budget is -1, but it must be a number from 0\.01/],
  ['too little patience', [...WITH_SPEC, '--patience', '5'], /Set patience to 7 or more/],
  [
    'a settings file that is not there',
    [...WITH_SPEC, '--config', 'x.json'],
    /settings file x\.json does not exist/,
  ],
  ['a settings file that is a pipe', [...WITH_SPEC, '--config', 'PIPE'], /settings file .* is not a file/],
  ['a settings file that is no JSON', [...WITH_SPEC, '--config', 'WORDS'], /is not JSON/],
];

const MACHINE: Case[] = [
  [
    'no key and no address',
    WITH_SPEC,
    /no API key: set ANTHROPIC_API_KEY/,
    { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' },
  ],
  [
    'an address of the API that is none',
    WITH_SPEC,
    /ANTHROPIC_BASE_URL is "not-a-url"/,
    { ANTHROPIC_BASE_URL: 'not-a-url' },
  ],
  [
    'an address of another protocol',
    WITH_SPEC,
    /ANTHROPIC_BASE_URL is "ftp:\/\/x"/,
    { ANTHROPIC_BASE_URL: 'ftp://x' },
  ],
  ['no git', WITH_SPEC, /There is no git on the PATH/, { PATH: 'BIN' }],
  ['no browser', WITH_SPEC, /LONGHAUL_BROWSER names \/nowhere/, { LONGHAUL_BROWSER: '/nowhere' }],
];

const SPECS: Case[] = [
  ['no spec', RUN, /There is no spec in .*spec\.md.*longhaul new .*app makes a template/],
  ['a spec that is not there', [...RUN, '--spec', 'nowhere.md'], /The spec nowhere\.md does not exist/],
  [
    'a template that nobody filled in',
    [...RUN, '--spec', join(packageRoot, 'templates/spec.md')],
    /is the template as it was made: fill it in first/,
  ],
  ['an empty spec', [...RUN, '--spec', 'EMPTY'], /is empty\. Describe the app/],
  ['a spec that is a picture', [...RUN, '--spec', 'PHOTO'], /is not a text in UTF-8/],
  ['a spec without end', [...RUN, '--spec', 'HUGE'], /is 1\.5 MB of text; a spec has at most 1 MB/],
  ['a spec that is a pipe', [...RUN, '--spec', 'PIPE'], /is not a file/],
];

const FOLDERS: Case[] = [
  [
    'a folder that is not ours',
    ['run', 'STRANGE', '--no-sandbox', '--spec', 'SPEC'],
    /already holds main\.py/,
  ],
  ["somebody's repository", ['run', 'TAKEN', '--no-sandbox', '--spec', 'SPEC'], /already has commits/],
  ['a file for a folder', ['run', 'SPEC', '--no-sandbox', '--spec', 'SPEC'], /it is not a folder/],
  [
    'a folder below a file',
    ['run', 'BELOW_A_FILE', '--no-sandbox', '--spec', 'SPEC'],
    /spec\.md is not a folder/,
  ],
  [
    'a folder below /proc',
    ['run', '/proc/app', '--no-sandbox', '--spec', 'SPEC'],
    /\/proc\/app cannot be made/,
  ],
  ['a new folder below /proc', ['new', '/proc/app'], /\/proc\/app cannot be made/],
  [
    'resume where nothing runs',
    ['resume', 'APP', '--no-sandbox', '--spec', 'SPEC'],
    /no run in .* to resume/,
  ],
  ['status where nothing runs', ['status', 'STRANGE'], /There is no run in/],
  ['stop where nothing runs', ['stop', 'STRANGE'], /There is no run in/],
];

describe('a refusal is one sentence with exit code 2, and nothing changes on disk', () => {
  // One for all cases: that nothing changes in it is what each of them shows.
  const folder = runFolder(afterAll);
  const paths = layOut(folder);

  describe.each<[string, Case[]]>([
    ['on the command line', USAGE],
    ['of a value', VALUES],
    ['on this machine', MACHINE],
    ['of the spec', SPECS],
    ['of the folder', FOLDERS],
  ])('%s', (_, cases) => {
    it.each(cases)('%s', REFUSAL, async (_, args, sentence, env = {}) => {
      const filled = (text: string) => paths[text] ?? text;
      const before = diskSnapshot(folder.root);
      const variables = Object.entries(env).map(([name, value]) => [name, filled(value)]);
      const ended = await runCli(args.map(filled), { ...folder.env(DEAD), ...Object.fromEntries(variables) });
      expectRefusal(ended, sentence);
      expect(diskSnapshot(folder.root)).toEqual(before);
    });
  });

  it.runIf(process.platform === 'linux' && isRoot())(
    'of a folder that cannot be written, even by root',
    REFUSAL,
    async () => {
      const args = ['run', '/sys/app', '--no-sandbox', '--spec', paths.SPEC ?? ''];
      expectRefusal(await runCli(args, folder.env(DEAD)), /\/sys\/app cannot be made.*where you may write/);
    },
  );

  it('of a second run, which names the process that holds the first', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(() => ({
      ...call('bash', { command: 'true' }),
      delayMs: 30_000,
    }));
    const first = startRig(folder, standin.url);
    onTestFinished(() => void first.kill('SIGKILL'));
    const ended = endOf(first);
    await until(
      () => standin.requests.length > 0 && readFileSync(folder.journal, 'utf8').includes('spend.reserve'),
    );
    const before = diskSnapshot(folder.root);
    const sentence = new RegExp(`is being built by process ${first.pid}, since`);
    // Whatever else is missing here, the first run has it.
    const bare = { ...folder.env(''), ANTHROPIC_API_KEY: '' };
    expectRefusal(await runCli(['run', folder.app, '--no-sandbox'], folder.env(standin.url)), sentence);
    expectRefusal(await runCli(['run', folder.app], bare), sentence);
    expectRefusal(await runCli(['resume', folder.app], bare), sentence);
    expect(diskSnapshot(folder.root)).toEqual(before);
    const status = await runCli(['status', folder.app, '--json'], folder.env(standin.url));
    expect(JSON.parse(status.output)).toMatchObject({
      state: 'initializing',
      pid: first.pid,
      sessions: 1,
      total: 0,
    });
    first.kill('SIGKILL');
    await ended;
    const after = await runCli(['status', folder.app, '--json'], folder.env(standin.url));
    expect(JSON.parse(after.output)).toMatchObject({ state: 'crashed', pid: null });
  });
});

it(
  'a spec that is not for a web app is refused with exit code 2, its cost, and the folder as it was',
  LONG,
  async () => {
    const folder = runFolder();
    mkdirSync(folder.app);
    writeFileSync(join(folder.app, 'spec.md'), '# A kernel driver\n');
    writeFileSync(join(folder.app, 'LICENSE'), 'MIT\n');
    const standin = await standinFor(ask =>
      ask.turn === 0
        ? call('bash', { command: 'mkdir src && echo x > src/a.c && git add -A && git commit -qm early' })
        : call('finish_session', {
            outcome: 'not_a_web_app',
            summary: 'The spec describes a kernel driver.',
            progress: 'x',
          }),
    );
    const args = ['run', folder.app, '--no-sandbox', '--simulated'];
    const { code, output } = await runCli(args, folder.env(standin.url));
    expect(output.trim().split('\n').at(-1)).toMatch(
      /^refused \(The spec describes a kernel driver\.\): no features yet, 1 session, \$0\.\d\d/,
    );
    expect(code).toBe(2);
    expect(readdirSync(folder.app).sort()).toEqual(['.git', 'LICENSE', 'spec.md']);
    expect(readFileSync(join(folder.app, 'spec.md'), 'utf8')).toBe('# A kernel driver\n');
    // With the same spec it rests there; another one begins anew in the same folder.
    const before = diskSnapshot(folder.root);
    const again = await runCli(['run', folder.app], { ...folder.env(''), ANTHROPIC_API_KEY: '' });
    expect(again).toMatchObject({ code: 2, output: expect.stringContaining('with a spec for a web app') });
    expect(diskSnapshot(folder.root)).toEqual(before);
    writeFileSync(join(folder.app, 'spec.md'), '# A web app\n');
    const other = await standinFor(rigPlay);
    const anew = await runCli([...args, '--plan'], folder.env(other.url));
    expect(anew.output.trim().split('\n').at(-1)).toMatch(/^planned/);
  },
);

it(
  'a run that rests says so without a key, and a cap lower than its own is not passed over in silence',
  LONG,
  async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    const flags = { budgetUsd: 0.05 };
    expect(await runRig(folder, standin.url, { options: { flags } })).toMatchObject({
      code: 4,
      output: expect.stringContaining('cap $0.05 (simulated, by --budget)'),
    });
    const before = diskSnapshot(folder.root);
    const parked = await runCli(['run', folder.app], { ...folder.env(''), ANTHROPIC_API_KEY: '' });
    expect(parked.output).toContain(`To go on: longhaul resume ${folder.app} --no-sandbox --budget USD`);
    expect(parked.code).toBe(4);
    expect(diskSnapshot(folder.root)).toEqual(before);

    const file = join(folder.home, 'config', 'longhaul', 'config.json');
    mkdirSync(join(folder.home, 'config', 'longhaul'), { recursive: true });
    writeFileSync(file, '{ "budgetUsd": 0.02 }');
    const resumed = await runRig(folder, standin.url, { options: { resume: true } });
    expect(resumed.output.split('\n', 1)[0]).toContain(
      `cap $0.05 (simulated, kept from the last start, while budgetUsd $0.02 of ${file} is for new runs; --budget sets another)`,
    );
  },
);

function expectRefusal({ code, output }: Ended, sentence: RegExp): void {
  expect(output).toMatch(sentence);
  expect(output).toMatch(/^longhaul: [^\n]+\n$/);
  expect(code).toBe(2);
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (condition()) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('it did not happen within 30 s');
}
