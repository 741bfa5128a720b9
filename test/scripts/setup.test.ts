// The set-up command on a small project in a temp folder: real processes, a real compiler and npm, no network.

import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { FOLDERS, MAC_PROGRAMS, NAMES } from '../../harness/browser/find-browser.js';

const NOTHING_TO_DO = 'Set-up: packages, build and browser are there.\n';
const LOCK = '.longhaul-setup.lock';
const root = process.getuid?.() === 0;
const npm = realpathSync(onPath('npm'));

/** Set up once by the real npm and the command itself, but for the browser, and copied for every test. */
let template: string;
let project: string;
let calls: Call[];

beforeAll(async () => {
  template = newFolder();
  project = template;
  calls = [];
  haveSetUpScripts();
  write('tsconfig.build.json', JSON.stringify({ compilerOptions, include: ['harness'] }));
  write('harness/main.ts', 'export const answer: number = 42;\n');
  write('harness/other.ts', 'export const other = 1;\n');
  write('compiler/package.json', JSON.stringify({ name: 'typescript', version: '1.0.0' }));
  write(
    'compiler/bin/tsc',
    `require(${JSON.stringify(join(packageRoot, 'node_modules/typescript/lib/tsc.js'))});`,
  );
  for (const version of ['1.0.0', '2.0.0']) {
    write(`tiny-${version}/package.json`, JSON.stringify({ name: 'tiny', version }));
    await runNpm('pack', `./tiny-${version}`);
  }
  for (const version of ['2.0.0', '1.0.0']) {
    write('package.json', packageJson(version));
    await runNpm('install');
    cpSync(at('package-lock.json'), at(`lock-${version}.json`));
  }
  const { code, stderr } = await setUp();
  expect(code, stderr).toBe(0);
  rmSync(at('node_modules/.longhaul-browser.json'));
  rmSync(at('starts.log'));
});

afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(() => {
  project = newFolder();
  calls = [];
  cpSync(template, project, { recursive: true, verbatimSymlinks: true });
  haveSetUpScripts();
});

afterEach(async () => {
  for (const call of calls) call.kill('SIGKILL');
  await Promise.all(calls.map(call => call.end));
  rmSync(project, { recursive: true, force: true, maxRetries: 5 });
});

describe('a set-up with everything in place', () => {
  it('compiles and starts the browser in the first call, and starts nothing in the second', async () => {
    rmSync(at('dist'), { recursive: true });
    rmSync(at('node_modules/.longhaul-setup.json'));
    const first = await setUp();
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toBe(`Compiling …\n${browserLine()}`);
    const built = statSync(at('dist/main.js')).mtimeMs;

    expect(await setUp()).toEqual({ code: 0, stdout: '', stderr: NOTHING_TO_DO });
    expect(await setUp(['--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(statSync(at('dist/main.js')).mtimeMs).toBe(built);
    expect(browserStarts()).toBe(1);
    expect(readdirSync(project)).not.toContain(LOCK);
  });

  it('refuses a Node that is older than package.json asks for', async () => {
    write('package.json', JSON.stringify({ engines: { node: '>=99.5' } }));
    const { code, stderr } = await setUp();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Longhaul needs Node 99\.5 or newer and this is Node \d+\./);
  });

  it('says how git is installed when it is missing', async () => {
    rmSync(at('bin/git'));
    const { code, stderr } = await setUp();
    expect(code).toBe(1);
    expect(stderr).toContain('git is not installed');
    expect(stderr).toContain('apt-get install git');
  });
});

describe('the build', () => {
  it('is made again when a source has changed', async () => {
    write('harness/main.ts', 'export const answer: number = 43;\n');
    expect((await setUp()).stderr).toBe(`Compiling …\n${browserLine()}`);
    expect(read('dist/main.js')).toContain('43');
  });

  it('loses the output of a source that was deleted', async () => {
    rmSync(at('harness/other.ts'));
    expect((await setUp()).stderr).toBe(`Compiling …\n${browserLine()}`);
    expect(readdirSync(at('dist'))).not.toContain('other.js');
    expect(readdirSync(at('dist'))).toContain('main.js');
  });

  it('brings back an output that somebody deleted', async () => {
    rmSync(at('dist/main.js'));
    expect((await setUp()).code).toBe(0);
    expect(read('dist/main.js')).toContain('42');
  });

  it('that fails prints the errors, says what to do, and is made once they are mended', async () => {
    write('harness/main.ts', 'export const answer: number = "many";\n');
    for (const call of ['first', 'second']) {
      const { code, stderr } = await setUp(['--quiet']);
      expect(code, call).toBe(1);
      expect(stderr).toContain('harness/main.ts(1,14): error TS2322');
      expect(stderr).toMatch(/^Set-up failed: the sources do not compile/m);
      expect(stderr).toMatch(/^What to do: mend the errors above/m);
    }
    write('harness/main.ts', 'export const answer: number = 44;\n');
    expect((await setUp()).code).toBe(0);
    expect(read('dist/main.js')).toContain('44');
  });
});

describe('the npm packages', () => {
  it('are installed anew when the lock file asks for another version', async () => {
    wantTiny('2.0.0');
    const { code, stderr } = await setUp();
    expect(stderr).toBe(`Installing the npm packages (about a minute) …\nCompiling …\n${browserLine()}`);
    expect(code).toBe(0);
    expect(JSON.parse(read('node_modules/tiny/package.json')).version).toBe('2.0.0');
    expect((await setUp()).stderr).toBe(NOTHING_TO_DO);
  });

  it('are installed anew when somebody deleted one of them', async () => {
    rmSync(at('node_modules/tiny'), { recursive: true });
    expect((await setUp()).stderr).toContain('Installing the npm packages');
    expect(readdirSync(at('node_modules'))).toContain('tiny');
  });

  it('are left alone when somebody installed what the lock file asks for by hand', async () => {
    wantTiny('2.0.0');
    await runNpm('install');
    // Compiled again for the changed package.json only.
    expect(await setUp()).toMatchObject({ code: 0, stderr: `Compiling …\n${browserLine()}` });
    expect(JSON.parse(read('node_modules/tiny/package.json')).version).toBe('2.0.0');
    expect((await setUp()).stderr).toBe(NOTHING_TO_DO);
  });

  it('that cannot be installed are told with what npm said, even under npm run --silent', async () => {
    write('package.json', packageJson('2.0.0'));
    rmSync(at('node_modules/tiny'), { recursive: true });
    const { code, stderr } = await setUp([], { npm_config_loglevel: 'silent' });
    expect(code).toBe(1);
    expect(stderr).toContain('could not be installed, `npm ci` ended with code');
    expect(stderr).toMatch(/^ {4}npm error .*in sync/m);
    expect(stderr).toMatch(/^What to do: run `npm ci` in /m);
  });
});

describe('the browser', () => {
  it('is looked for in the same places as the harness looks in', async () => {
    const places = await import(pathToFileURL(join(packageRoot, 'scripts/setup/browser-places.mjs')).href);
    expect(places.NAMES).toEqual(NAMES.map(([, name]) => name));
    expect(places.FOLDERS).toEqual(FOLDERS);
    expect(places.MAC_PROGRAMS).toEqual(MAC_PROGRAMS.map(([, program]) => program));
  });

  it('named by LONGHAUL_BROWSER must exist', async () => {
    const { code, stderr } = await setUp([], { LONGHAUL_BROWSER: at('nowhere') });
    expect(code).toBe(1);
    expect(stderr).toContain(`LONGHAUL_BROWSER names ${at('nowhere')}, which does not exist`);
    expect(stderr).toMatch(/^What to do: set LONGHAUL_BROWSER to the full path/m);
  });

  it('named by LONGHAUL_BROWSER is used although another was found before', async () => {
    await setUp();
    addBrowser('mine/browser');
    const { stderr } = await setUp([], { LONGHAUL_BROWSER: at('mine/browser') });
    expect(stderr).toBe(browserLine('mine/browser'));
  });

  it('is the first in the order that really starts', async () => {
    addProgram('browsers/chromium-headless-shell', 'echo a library is missing; exit 127');
    addBrowser('browsers/google-chrome');
    expect((await setUp()).stderr).toContain(browserLine());
  });

  it('is looked for again when it has gone', async () => {
    await setUp();
    rmSync(at('browsers/chromium'));
    addBrowser('bin/google-chrome-stable');
    expect((await setUp()).stderr).toBe(browserLine('bin/google-chrome-stable'));
  });

  it('is downloaded by Playwright when none is there', async () => {
    rmSync(at('browsers/chromium'));
    havePlaywright(`
      require('node:fs').mkdirSync(shell, { recursive: true });
      require('node:fs').renameSync(${JSON.stringify(at('ready'))}, shell + '/chrome-headless-shell');`);
    addBrowser('ready');
    const { code, stderr } = await setUp();
    expect(stderr).toContain("Downloading Playwright's");
    expect(stderr).toContain(browserLine('store/chromium_headless_shell-7/linux/chrome-headless-shell'));
    expect(code).toBe(0);
  });

  it.runIf(root)('is installed by apt-get when the download fails and we are root', async () => {
    rmSync(at('browsers/chromium'));
    havePlaywright('console.error("no such host"); process.exit(1);');
    addBrowser('ready');
    addProgram(
      'bin/apt-get',
      `echo "$DEBIAN_FRONTEND $*" >> '${at('apt.log')}'
      case "$*" in *update*) exit 100 ;; esac
      /bin/mv '${at('ready')}' '${at('browsers/chromium-headless-shell')}'`,
    );
    const { code, stderr } = await setUp();
    expect(stderr).toContain(browserLine('browsers/chromium-headless-shell'));
    expect(code).toBe(0);
    expect(read('apt.log')).toMatch(
      /^noninteractive .*update\nnoninteractive .*install -y --no-install-recommends chromium-headless-shell fonts-liberation\n$/,
    );
  });

  it('that cannot be had by any way is told with all that was tried and what to do by hand', async () => {
    addProgram('browsers/chromium', 'echo a library is missing; exit 127');
    havePlaywright('console.error("no such host"); process.exit(1);');
    addProgram('bin/apt-get', 'echo "Unable to locate package"; exit 100');
    const { code, stderr } = await setUp();
    expect(code).toBe(1);
    expect(stderr).toContain(
      `${at('browsers/chromium')} is there but does not start, it ended with code 127`,
    );
    expect(stderr).toContain('a library is missing');
    expect(stderr).toContain('`npx playwright install chromium-headless-shell` ended with code 1');
    expect(stderr).toContain('no such host');
    if (root) expect(stderr).toContain('Unable to locate package');
    expect(stderr).toMatch(/^What to do: .*Debian: .*Ubuntu: .*macOS: .*LONGHAUL_BROWSER=/m);
  });
});

describe('two set-ups in one checkout', () => {
  it('work one after the other: the second says that it waits and finds the work done', async () => {
    addBrowser('browsers/chromium', { waitsFor: 'go' });
    const first = startSetUp();
    await until(() => browserStarts() === 1, 'the first is starting the browser');
    const second = startSetUp();
    await until(() => second.stderr().includes('Another set-up (process '), 'the second waits');
    write('go', '');
    expect((await first.end).code).toBe(0);
    expect((await second.end).code).toBe(0);
    expect(second.stderr()).toBe(
      `Another set-up (process ${first.pid}) works in this checkout; waiting for it …\n`,
    );
    expect(browserStarts()).toBe(1);
    expect(readdirSync(project)).not.toContain(LOCK);
  });

  it('of which six come upon the lock of a dead one at the same time do the work once', async () => {
    addBrowser('browsers/chromium', { waitsFor: 'go' });
    const killed = startSetUp();
    await until(() => browserStarts() === 1, 'it is starting the browser');
    killed.kill('SIGKILL');
    await killed.end;
    write('go', '');
    const codes = await Promise.all(Array.from({ length: 6 }, async () => (await setUp()).code));
    expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
    expect(browserStarts()).toBe(2);
    expect(readdirSync(project).filter(name => name.startsWith(LOCK))).toEqual([]);
  });
});

describe('a set-up that is ended', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const)('by %s leaves no process behind and the next call finishes', async (signal, code) => {
    addBrowser('browsers/chromium', { waitsFor: 'go' });
    const call = startSetUp();
    await until(() => browserStarts() === 1, 'it is starting the browser');
    const browserPid = Number(read('starts.log').trim());
    call.kill(signal);
    expect((await call.end).code).toBe(code);
    await until(() => isGone(browserPid), 'the browser is gone');
    if (signal !== 'SIGKILL') expect(readdirSync(project)).not.toContain(LOCK);

    write('go', '');
    expect(await setUp()).toMatchObject({ code: 0, stderr: browserLine() });
    expect(readdirSync(project)).not.toContain(LOCK);
  });
});

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2022'],
  skipLibCheck: true,
  module: 'NodeNext',
  types: [],
  rootDir: 'harness',
  outDir: 'dist',
  incremental: true,
  tsBuildInfoFile: 'dist/.tsbuildinfo',
};

interface Call {
  pid: number | undefined;
  end: Promise<{ code: number | null; stdout: string; stderr: string }>;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

function start(command: string[], env: NodeJS.ProcessEnv = {}): Call {
  const child = spawn(process.execPath, command, {
    cwd: project,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
  });
  const call: Call = {
    pid: child.pid,
    end: new Promise(resolve => child.once('close', code => resolve({ code, stdout, stderr }))),
    stderr: () => stderr,
    kill: signal => child.kill(signal),
  };
  calls.push(call);
  return call;
}

function startSetUp(args: string[] = [], env: NodeJS.ProcessEnv = {}): Call {
  return start([at('scripts/setup.mjs'), ...args], env);
}

function setUp(args?: string[], env?: NodeJS.ProcessEnv) {
  return startSetUp(args, env).end;
}

async function runNpm(...args: string[]): Promise<void> {
  const { code, stderr } = await start([npm, ...args]).end;
  expect(code, stderr).toBe(0);
}

/** Nothing of the person who runs the tests, and an npm that never asks the network. */
function environment(): NodeJS.ProcessEnv {
  return {
    PATH: at('bin'),
    HOME: at('home'),
    npm_execpath: npm,
    npm_config_cache: at('home/cache'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
}

function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-setup-test-')));
}

function at(name: string): string {
  return join(project, name);
}

function read(name: string): string {
  return readFileSync(at(name), 'utf8');
}

function write(name: string, text: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}

function packageJson(tinyVersion: string): string {
  return JSON.stringify({
    name: 'small',
    type: 'module',
    engines: { node: '>=20.11' },
    devDependencies: { typescript: 'file:compiler', tiny: `file:tiny-${tinyVersion}.tgz` },
  });
}

function wantTiny(version: string): void {
  write('package.json', packageJson(version));
  cpSync(at(`lock-${version}.json`), at('package-lock.json'));
}

function addProgram(name: string, script: string): void {
  write(name, `#!/bin/sh\n${script}\n`);
  chmodSync(at(name), 0o755);
}

/** A program that prints an empty page as a headless browser does, and keeps a list of its starts. */
function addBrowser(name: string, { waitsFor = '' } = {}): void {
  const wait = waitsFor ? `while [ ! -e '${at(waitsFor)}' ]; do /bin/sleep 0.05; done` : '';
  addProgram(
    name,
    `echo $$ >> '${at('starts.log')}'\n${wait}\necho '<html><head></head><body></body></html>'`,
  );
}

function browserLine(path = 'browsers/chromium'): string {
  return `Browser: ${at(path)}\n`;
}

function browserStarts(): number {
  return existsSync(at('starts.log')) ? read('starts.log').trim().split('\n').length : 0;
}

/** The scripts with a list of places, which is data, that hides the browsers of this machine; a browser; git. */
function haveSetUpScripts(): void {
  cpSync(join(packageRoot, 'scripts'), at('scripts'), { recursive: true });
  const file = 'scripts/setup/browser-places.mjs';
  const changed = read(file)
    .replace(/FOLDERS = .*;/, `FOLDERS = ${JSON.stringify([at('browsers')])};`)
    .replace(/MAC_PROGRAMS = [^;]*;/, 'MAC_PROGRAMS = [];');
  expect(changed).toContain(at('browsers'));
  write(file, changed);
  addBrowser('browsers/chromium');
  mkdirSync(at('bin'), { recursive: true });
  if (!existsSync(at('bin/git'))) symlinkSync(onPath('git'), at('bin/git'));
}

function havePlaywright(install: string): void {
  const store = at('store');
  write('node_modules/playwright/package.json', JSON.stringify({ name: 'playwright', main: 'index.js' }));
  write(
    'node_modules/playwright/index.js',
    `exports.chromium = { executablePath: () => ${JSON.stringify(`${store}/chromium-7/linux/chrome`)} };`,
  );
  write(
    'node_modules/playwright/cli.js',
    `const shell = ${JSON.stringify(`${store}/chromium_headless_shell-7/linux`)};\n${install}`,
  );
}

function onPath(program: string): string {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, program))
    .find(file => existsSync(file));
  if (found === undefined) throw new Error(`${program} is not on PATH`);
  return found;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await sleep(20);
  }
}

/** Also true for a process that is dead and that nobody has collected: not every container's first process does. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return !existsSync(`/proc/${pid}`);
  }
}
