// `demo`: the real run over a scripted model: real git, shell, init.sh and browser, no key and no cost.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EXIT, refuse } from '../base/errors.js';
import { makeFolder } from '../base/make-folder.js';
import { shellWord } from '../base/shell-word.js';
import { readEnvironment } from '../config/environment.js';
import { readJournal } from '../journal/read-journal.js';
import { DEMO_SPEC_PATH } from '../standin/demo/content.js';
import { demoScenario } from '../standin/demo-scenario.js';
import type { Scenario } from '../standin/scenario.js';
import { startStandin } from '../standin/server.js';
import { openOutput } from '../watch/terminal.js';
import { hasRun, whyNotNew } from '../workspace/app.js';
import { readAppSpec } from '../workspace/app-spec.js';
import { howToLook, whatItShowed } from './demo-report.js';

/** The run is killed in the session of this feature, when it has written a test and not yet what is tested. */
const CRASH = { feature: 'F-004', turn: 2 };

/**
 * @returns the exit code of the run.
 * @throws LonghaulError `refused` when `dir` cannot be the demo's; nothing was started then.
 */
export async function demoCommand({
  dir,
  crash,
}: {
  dir: string | undefined;
  crash: boolean;
}): Promise<number> {
  const output = openOutput(process.stdout, readEnvironment().host);
  const root = await demoFolder(dir);
  const runs = new DemoRuns(root);
  const standin = await startStandin({ scenario: crash ? runs.killedOnce(demoScenario()) : demoScenario() });
  output.lines([
    'A script plays the model, so there is no key and no cost: dollars are simulated. Everything else is real.',
    `The app is built in ${root}${dir === undefined ? ', which is removed at the end (--dir DIR keeps it)' : ''}.`,
  ]);
  try {
    let code = await runs.toItsEnd(standin.url);
    if (runs.wasKilled) {
      output.lines([`demo: killed the run (SIGKILL) during ${CRASH.feature}; the same command goes on:`]);
      code = await runs.toItsEnd(standin.url);
    } else if (crash && code === EXIT.done) {
      output.lines(['demo: the run ended before it could be killed; there was nothing left to build.']);
    }
    if (code === null) {
      output.lines([
        `demo: the run was killed; the same command goes on: longhaul demo --dir ${shellWord(root)}`,
      ]);
      return EXIT.fault;
    }
    if (code === EXIT.done) output.lines(farewell(root, dir !== undefined));
    return code;
  } finally {
    runs.dispose();
    await standin.close();
    if (dir === undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What is refused here would be refused by the run too, but only after a stand-in was started for it. */
async function demoFolder(dir: string | undefined): Promise<string> {
  if (dir === undefined) return mkdtempSync(join(tmpdir(), 'longhaul-demo-'));
  const root = resolve(dir);
  const other = 'Name a folder that does not exist yet, or one with an unfinished demo.';
  if (hasRun(root)) {
    const begun = readJournal(journalOf(root)).records.findLast(record => record.type === 'run.begin');
    if (begun && begun.specSha256 !== readAppSpec(DEMO_SPEC_PATH).sha256)
      throw refuse(`${root} holds a run of another spec than the demo's. ${other}`);
    return root;
  }
  const why = await whyNotNew(root, readEnvironment().host);
  if (why) throw refuse(`${root} cannot become the demo's app: ${why}. ${other}`);
  makeFolder(root);
  return root;
}

function farewell(root: string, kept: boolean): string[] {
  const { records } = readJournal(journalOf(root));
  return [
    '',
    'What you have seen on the way:',
    ...whatItShowed(records).map(line => `  ${line}`),
    ...(kept ? ['', ...howToLook(root)] : ['', 'To keep the app and look at it: npm run demo -- --dir DIR']),
  ];
}

function journalOf(root: string): string {
  return join(root, '.git', 'longhaul', 'journal.jsonl');
}

/** The runs of a demo, one after another. What ends the demo is handed on to its run, and its end is awaited. */
class DemoRuns {
  wasKilled = false;
  #run: { child: ChildProcess; ended: Promise<number | null> } | null = null;
  readonly #forward = (signal: NodeJS.Signals) => void this.#run?.child.kill(signal);

  constructor(readonly root: string) {
    for (const signal of SIGNALS) process.on(signal, this.#forward);
  }

  /** The exit code, or null when a signal ended the run. */
  toItsEnd(baseUrl: string): Promise<number | null> {
    const child = startRun(this.root, baseUrl);
    this.#run = { child, ended: exitCodeOf(child) };
    return this.#run.ended;
  }

  /** The same script, but the run that asks for a certain answer is killed while it waits. */
  killedOnce(scenario: Scenario): Scenario {
    return {
      name: scenario.name,
      reply: async ask => {
        if (!this.wasKilled && this.#run && ask.feature === CRASH.feature && ask.turn === CRASH.turn) {
          this.wasKilled = true;
          this.#run.child.kill('SIGKILL');
          await this.#run.ended;
        }
        return scenario.reply(ask);
      },
    };
  }

  dispose(): void {
    for (const signal of SIGNALS) process.off(signal, this.#forward);
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The command that a person would type, as a process of its own. */
function startRun(root: string, baseUrl: string): ChildProcess {
  const { host } = readEnvironment();
  return spawn(
    process.execPath,
    [process.argv[1] ?? '', 'run', root, '--spec', DEMO_SPEC_PATH, '--no-sandbox', '--simulated', '--yes'],
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

function exitCodeOf(run: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    run.once('error', reject);
    run.once('exit', code => resolve(code));
  });
}
