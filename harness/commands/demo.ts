// `demo`: the real run over a scripted model: real git, shell, init.sh and browser, no key and no cost.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { EXIT } from '../base/errors.js';
import { packageRoot } from '../base/package-root.js';
import { shellWord } from '../base/shell-word.js';
import { readEnvironment } from '../config/environment.js';
import { readJournal } from '../journal/read-journal.js';
import type { JournalRecord } from '../journal/records.js';
import { demoScenario } from '../standin/demo-scenario.js';
import { startStandin } from '../standin/server.js';
import { openOutput } from '../watch/terminal.js';

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
  const output = openOutput(process.stdout, readEnvironment().host);
  const say = (line: string) => output.lines([line]);
  const root = resolve(dir ?? mkdtempSync(join(tmpdir(), 'longhaul-demo-')));
  const standin = await startStandin({ scenario: demoScenario() });
  say(
    'A script plays the model, so there is no key and no cost: dollars are simulated. Everything else is real.',
  );
  say(
    `The app is built in ${root}${dir === undefined ? ', which is removed at the end (--dir DIR keeps it)' : ''}.`,
  );
  const runs = new DemoRuns(root, standin.url);
  try {
    if (crash) {
      const ended = await runs.killInTheMiddle();
      if (ended !== null) {
        say('demo: the run ended before it could be killed; there was nothing left to build.');
        return ended;
      }
      say(`demo: killed the run (SIGKILL) during ${CRASH_FEATURE}; the same command goes on:`);
    }
    const code = await runs.toItsEnd();
    if (code === null)
      say(`demo: the run was killed; the same command goes on: longhaul demo --dir ${shellWord(root)}`);
    return code ?? EXIT.fault;
  } finally {
    runs.dispose();
    await standin.close();
    if (dir === undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The runs of a demo, one after another. What ends the demo is handed on to its run, and its end is awaited. */
class DemoRuns {
  #run: ChildProcess | null = null;
  readonly #forward = (signal: NodeJS.Signals) => void this.#run?.kill(signal);

  constructor(
    readonly root: string,
    readonly baseUrl: string,
  ) {
    for (const signal of SIGNALS) process.on(signal, this.#forward);
  }

  /** The exit code, or null when a signal ended the run. */
  async toItsEnd(): Promise<number | null> {
    this.#run = startRun(this.root, this.baseUrl);
    return exitCodeOf(this.#run);
  }

  /** Kills a run once its session on the feature has run a tool. Its exit code when it ended before that, else null. */
  async killInTheMiddle(): Promise<number | null> {
    const journal = join(this.root, '.git', 'longhaul', 'journal.jsonl');
    const before = existsSync(journal) ? readJournal(journal).records.length : 0;
    const run = startRun(this.root, this.baseUrl);
    this.#run = run;
    const ended = exitCodeOf(run);
    while (run.exitCode === null && run.signalCode === null) {
      if (existsSync(journal) && isInTheMiddle(readJournal(journal).records.slice(before))) {
        run.kill('SIGKILL');
        await ended;
        return null;
      }
      await systemClock.sleep(LOOK_EVERY_MS);
    }
    return (await ended) ?? EXIT.fault;
  }

  dispose(): void {
    for (const signal of SIGNALS) process.off(signal, this.#forward);
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

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

function isInTheMiddle(records: readonly JournalRecord[]): boolean {
  const session = records.slice(records.findLastIndex(record => record.type === 'session.begin'));
  const [first] = session;
  return (
    first?.type === 'session.begin' &&
    first.feature === CRASH_FEATURE &&
    session.some(record => record.type === 'tool.end')
  );
}

function exitCodeOf(run: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    run.once('error', reject);
    run.once('exit', code => resolve(code));
  });
}
