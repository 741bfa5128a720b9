// `demo`: the real run over a scripted model: real git, shell, init.sh and browser, no key and no cost.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { EXIT } from '../base/errors.js';
import { packageRoot } from '../base/package-root.js';
import { readEnvironment } from '../config/environment.js';
import { readJournal } from '../journal/read-journal.js';
import { demoScenario } from '../standin/demo-scenario.js';
import { startStandin } from '../standin/server.js';

/** In the session of this feature the run is killed. */
const CRASH_FEATURE = 'F-003';
const LOOK_EVERY_MS = 20;

/** @returns the exit code of the run. */
export async function demoCommand({
  dir,
  crash,
}: {
  dir: string | undefined;
  crash: boolean;
}): Promise<number> {
  const root = resolve(dir ?? mkdtempSync(join(tmpdir(), 'longhaul-demo-')));
  const standin = await startStandin({ scenario: demoScenario() });
  say(
    'A script plays the model, so there is no key and no cost: dollars are simulated. Everything else is real.',
  );
  say(
    `The app is built in ${root}${dir === undefined ? ', which is removed at the end (--dir DIR keeps it)' : ''}.`,
  );
  try {
    if (crash) {
      const killed = startRun(root, standin.url);
      await killDuring(killed, root);
      say(`demo: killed the run (SIGKILL) during ${CRASH_FEATURE}; the same command goes on:`);
    }
    return await exitCodeOf(startRun(root, standin.url));
  } finally {
    await standin.close();
    if (dir === undefined) rmSync(root, { recursive: true, force: true });
  }
}

/** The command that a person would type, as a process of its own. */
function startRun(root: string, baseUrl: string): ChildProcess {
  const { host } = readEnvironment();
  const spec = join(packageRoot, 'templates', 'demo', 'spec.md');
  return spawn(
    process.execPath,
    [process.argv[1] ?? '', 'run', root, '--spec', spec, '--no-sandbox', '--simulated', '--yes'],
    {
      stdio: 'inherit',
      env: {
        ...host,
        ANTHROPIC_BASE_URL: baseUrl,
        ANTHROPIC_API_KEY: 'simulated',
        // A demo pages nobody: the operator's settings are not read.
        XDG_CONFIG_HOME: join(root, '.git', 'no-settings'),
      },
    },
  );
}

/** Kills the run once its session on the feature has run a tool. */
async function killDuring(run: ChildProcess, root: string): Promise<void> {
  const journal = join(root, '.git', 'longhaul', 'journal.jsonl');
  while (run.exitCode === null) {
    if (existsSync(journal) && isInTheMiddle(journal)) break;
    await systemClock.sleep(LOOK_EVERY_MS);
  }
  if (run.exitCode !== null)
    throw new Error(`the run ended with exit code ${run.exitCode} before it could be killed`);
  const gone = exitCodeOf(run);
  run.kill('SIGKILL');
  await gone;
}

function isInTheMiddle(journal: string): boolean {
  const { records } = readJournal(journal);
  const begin = records.findLastIndex(record => record.type === 'session.begin');
  const session = records.slice(begin);
  const [first] = session;
  return (
    first?.type === 'session.begin' &&
    first.feature === CRASH_FEATURE &&
    session.some(record => record.type === 'tool.end')
  );
}

function exitCodeOf(run: ChildProcess): Promise<number> {
  if (run.exitCode !== null) return Promise.resolve(run.exitCode);
  return new Promise((resolve, reject) => {
    run.once('error', reject);
    run.once('exit', code => resolve(code ?? EXIT.fault));
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
