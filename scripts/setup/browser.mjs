// A browser that really starts: the one that is there, else Playwright's own, else Debian's package.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDERS, MAC_PROGRAMS, NAMES } from './browser-places.mjs';
import { lastLines, SetupFailure } from './failure.mjs';
import { findOnPath, isExecutableFile, pathFolders, readJson, writeJson } from './files.mjs';
import { runCommand } from './run-command.mjs';

const START_LIMIT_SECONDS = 60;
const DOWNLOAD_LIMIT_SECONDS = 5 * 60;
const APT_LIMIT_SECONDS = 15 * 60;

const BY_HAND = [
  'install Chromium or Chrome and run the command again.',
  'Debian: `apt-get install chromium-headless-shell`; Ubuntu: `npx playwright install --with-deps chromium`;',
  'macOS: Google Chrome from its web page, or `npx playwright install chromium`;',
  'anywhere: `npx playwright install --with-deps chromium`, or set LONGHAUL_BROWSER=/path/to/the/browser.',
].join(' ');

export const browser = {
  isDone(project) {
    const stamp = readJson(stampFile(project));
    return stamp !== undefined && stamp.asked === askedFor(project) && isExecutableFile(stamp.path);
  },

  async bring(project) {
    const path = askedFor(project) ? await useAsked(project) : await findOrInstall(project);
    writeJson(stampFile(project), { asked: askedFor(project), path });
    project.say(`Browser: ${path}`);
  },
};

function stampFile({ root }) {
  return join(root, 'node_modules', '.longhaul-browser.json');
}

function askedFor({ env }) {
  return env.LONGHAUL_BROWSER ?? '';
}

async function useAsked(project) {
  const path = askedFor(project);
  const byHand =
    'set LONGHAUL_BROWSER to the full path of a Chromium or Chrome, or unset it so that one is looked for.';
  if (!isExecutableFile(path)) {
    const what = existsSync(path) ? 'is not a program that can be run' : 'does not exist';
    throw new SetupFailure(`LONGHAUL_BROWSER names ${path}, which ${what}`, { byHand });
  }
  const start = await tryStart(path, project);
  if (start.ok) return path;
  throw new SetupFailure(`LONGHAUL_BROWSER names ${path}, which does not start, it ${start.how}`, {
    output: lastLines(start.output, 10),
    byHand,
  });
}

/** Each way is tried only when the ways before it gave no browser that starts. */
async function findOrInstall(project) {
  const tried = new Map();
  for (const makeBrowserAppear of [() => {}, downloadByPlaywright, installByApt]) {
    await makeBrowserAppear(project, tried);
    const path = await firstThatStarts(project, tried);
    if (path) return path;
  }
  throw new SetupFailure('no browser was found and none could be installed', {
    output: [...tried.values()].join('\n'),
    byHand: BY_HAND,
  });
}

async function firstThatStarts(project, tried) {
  for (const path of presentBrowsers(project)) {
    if (tried.has(path)) continue;
    const start = await tryStart(path, project);
    if (start.ok) return path;
    tried.set(path, `${path} is there but does not start, it ${start.how}:\n${lastLines(start.output, 5)}`);
  }
  return undefined;
}

function presentBrowsers({ root, env }) {
  const folders = [...pathFolders(env), ...FOLDERS];
  const named = NAMES.flatMap(name => folders.map(folder => join(folder, name)));
  const places = [...named, ...(process.platform === 'darwin' ? MAC_PROGRAMS : []), ...playwrightsOwn(root)];
  return [...new Set(places)].filter(isExecutableFile);
}

/** Playwright tells the path of its Chromium only; the headless shell lies in the folder of the same number beside it. */
function playwrightsOwn(root) {
  let chromium;
  try {
    chromium = createRequire(join(root, 'package.json'))('playwright').chromium.executablePath();
  } catch {
    return []; // No build of it for this system.
  }
  const [, store, number] = /^(.*)[/\\]chromium-(\d+)[/\\]/.exec(chromium) ?? [];
  if (store === undefined) return [chromium];
  const shell = join(store, `chromium_headless_shell-${number}`);
  const inside = existsSync(shell) ? readdirSync(shell, { recursive: true }) : [];
  const programs = inside.filter(name => /(^|[/\\])(chrome-headless-shell|headless_shell)$/.test(name));
  return [chromium, ...programs.map(name => join(shell, name))];
}

/** Has the browser load and print an empty page: `--version` would not need its libraries to work. */
async function tryStart(path, { root, env }) {
  const profile = mkdtempSync(join(tmpdir(), 'longhaul-browser-'));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    `--user-data-dir=${profile}`,
  ];
  try {
    const result = await runCommand(path, [...flags, '--dump-dom', 'about:blank'], {
      cwd: root,
      env,
      limitSeconds: START_LIMIT_SECONDS,
    });
    return { ...result, ok: result.ok && result.output.includes('<html>') };
  } finally {
    await removeProfile(profile);
  }
}

/** The browser's helpers may write into it for a moment after the browser itself is gone. */
async function removeProfile(profile) {
  for (let round = 0; round < 5; round++) {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    await new Promise(resolve => setTimeout(resolve, 50));
    if (!existsSync(profile)) return;
  }
}

async function downloadByPlaywright({ root, env, say }, tried) {
  const cli = join(root, 'node_modules', 'playwright', 'cli.js');
  if (!existsSync(cli)) return;
  say("No browser is installed. Downloading Playwright's (about 100 MB) …");
  const result = await runCommand(process.execPath, [cli, 'install', 'chromium-headless-shell'], {
    cwd: root,
    env,
    limitSeconds: DOWNLOAD_LIMIT_SECONDS,
  });
  note(tried, '`npx playwright install chromium-headless-shell`', result);
}

async function installByApt({ root, env, say }, tried) {
  if (process.getuid?.() !== 0 || !findOnPath('apt-get', env)) return;
  say("That did not work. Installing Debian's chromium-headless-shell with apt-get (about 70 MB) …");
  const aptGet = args =>
    runCommand('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
      cwd: root,
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
      limitSeconds: APT_LIMIT_SECONDS,
      graceSeconds: 10, // A dpkg that is killed in the middle leaves packages half installed.
    });
  // One broken source makes the update fail; the package may be there all the same.
  note(tried, '`apt-get update`', await aptGet(['update']));
  const wanted = ['chromium-headless-shell', 'fonts-liberation'];
  const install = await aptGet(['install', '-y', '--no-install-recommends', ...wanted]);
  note(tried, `\`apt-get install ${wanted.join(' ')}\``, install);
}

function note(tried, command, result) {
  if (!result.ok) tried.set(command, `${command} ${result.how}:\n${lastLines(result.output, 8)}`);
}
