// `run` and `resume`: go on with a build until it is done or a person must act.

import { refuse } from '../base/errors.js';
import { isOnPath } from '../base/on-path.js';
import { readEnvironment } from '../config/environment.js';
import type { LiveJournal } from '../journal/live-journal.js';
import { GOES_ON_BY_ITSELF } from '../journal/reduce.js';
import { priceTable } from '../model/prices.js';
import { restOf } from '../pager/cause.js';
import { endSentence, type RunEnd } from '../runner/end-sentence.js';
import { runApp } from '../runner/run-app.js';
import type { RunDeps } from '../runner/run-deps.js';
import { narratorFor } from '../watch/narrator.js';
import { describePlan, usdPerFeature } from '../watch/plan-view.js';
import { openOutput } from '../watch/terminal.js';
import type { App } from '../workspace/app.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import { askYesNo } from './ask-yes-no.js';
import { budgetInForce, checkRun, openRun, type RunRequest } from './open-run.js';
import { onStopSignals } from './stop-signals.js';
import { wirePager, wireRun } from './wire.js';

export interface RunOptions extends RunRequest {
  /** Dollars are simulated: the API is a stand-in. */
  simulated: boolean;
  /** A person says "go on" to a parked run. */
  resume: boolean;
  /** With `resume`: only this feature gets its attempts again. */
  retry: string | null;
  /** Only the initializer: print what it planned and end. */
  plan: boolean;
  /** Do not ask on a terminal whether the plan is right. */
  yes: boolean;
}

/**
 * @param adapt puts other parts in the place of the real ones, for rigs that need a cheaper proof.
 * @returns the exit code.
 */
export async function runCommand(
  options: RunOptions,
  adapt: (deps: RunDeps) => RunDeps = deps => deps,
): Promise<number> {
  const environment = readEnvironment();
  // From here on a reader that goes away (`| head`) ends no run.
  const output = openOutput(process.stdout, environment.host);
  const checked = await checkRun(withBudgetInForce(options), environment);
  if (options.resume && checked.isNew)
    throw refuse(`There is no run in ${checked.root} to resume; start one with longhaul run.`);
  const stop = onStopSignals();
  const { app, journal, lock, branch } = await openRun(checked, environment, stop.take);
  try {
    const pager = wirePager({
      app,
      journal,
      checked,
      environment,
      next: reason => (reason === 'done' ? `cd ${app.root} && ./init.sh` : goOn(reason, app.root)),
    });
    const resting = options.resume ? null : restingEnd(journal);
    if (resting) {
      await pager.flush();
      return tell(resting, journal, options.dir);
    }
    if (options.retry !== null) await refuseUnknownFeature(app, journal, options.retry);
    const { settings } = checked;
    journal.append({
      type: 'process.begin',
      pid: process.pid,
      model: settings.model,
      budgetUsd: settings.budgetUsd,
      settings: { ...settings },
      walls: 'none',
      simulated: options.simulated,
    });
    if (options.resume)
      journal.append({
        type: 'person.resume',
        budgetUsd: options.flags.budgetUsd ?? null,
        retry: options.retry,
      });
    const deps = await wireRun({
      app,
      journal,
      branch,
      checked,
      environment,
      signal: stop.signal,
      asked: stop.asked,
      say,
    });
    announce(options, checked.settings, app.state);
    const narrate = narratorFor(output);
    journal.onRecord = record => {
      const line = narrate(record, journal.state);
      if (line !== null) say(line);
    };
    // Beside the work: a receiver that hangs must not hold it up.
    const flushed = pager.flush();
    let end: RunEnd;
    try {
      end = await planThenRun(adapt(deps), options);
    } finally {
      await deps.close();
      await flushed;
      const rest = restOf(journal.state);
      if (rest) await pager.page(rest);
    }
    journal.append({ type: 'process.end', exitCode: end.exitCode });
    return tell(end, journal, options.dir);
  } finally {
    stop.dispose();
    journal.close();
    await lock.release();
  }
}

/** The first start stops at the plan when a person asked for that or sits at the terminal and says no to it. */
async function planThenRun(deps: RunDeps, options: RunOptions): Promise<RunEnd> {
  const asks =
    process.stdin.isTTY && process.stdout.isTTY && !options.yes && deps.journal.state.contractSha256 === null;
  if (!options.plan && !asks) return runApp(deps);
  const planned = await runApp(deps, { planOnly: true });
  if (planned.reason !== 'planned') return planned;
  say(await planText(deps, options.simulated));
  if (options.plan || !(await askYesNo('Go on with this plan?'))) return planned;
  return runApp(deps);
}

async function planText(deps: RunDeps, simulated: boolean): Promise<string> {
  const { plan, lastCommit } = deps.journal.state;
  const { list } = await readCanonicalList(deps.app, lastCommit ?? '');
  const price = priceTable().priceOf(deps.settings.model);
  const said = plan ?? { stack: '', programs: [], questions: [] };
  const { host } = readEnvironment();
  return describePlan({
    list,
    plan: said,
    missingPrograms: said.programs.filter(program => !isOnPath(program, host.PATH ?? '')),
    usdPerFeature: usdPerFeature({
      cacheRead: price.cacheRead,
      cacheWrite: price.cacheWrite5m,
      output: price.output,
    }),
    simulated,
  });
}

async function refuseUnknownFeature(app: App, { state }: LiveJournal, id: string): Promise<void> {
  const list = state.lastCommit ? (await readCanonicalList(app, state.lastCommit)).list : [];
  const failing = list.flatMap(feature => (feature.passes ? [] : [feature.id]));
  if (failing.includes(id)) return;
  const known =
    failing.length > 0
      ? `; failing are ${failing.slice(0, 10).join(', ')}${failing.length > 10 ? ', …' : ''}`
      : '';
  throw refuse(`--retry names ${id}, which is not a failing feature${known}.`);
}

/** A run keeps its cap from start to start until a flag names another. */
function withBudgetInForce(options: RunOptions): RunRequest {
  const kept = options.flags.budgetUsd ?? budgetInForce(options.dir) ?? undefined;
  return { ...options, flags: { ...options.flags, budgetUsd: kept } };
}

/** A parked or finished run needs a person: no request is made. One that a person interrupted just goes on. */
function restingEnd({ state }: LiveJournal): RunEnd | null {
  if (state.phase === 'done') return { exitCode: 0, reason: 'done', detail: '' };
  if (state.phase !== 'parked' || !state.parked || GOES_ON_BY_ITSELF.has(state.parked.reason)) return null;
  const { reason, detail, exitCode } = state.parked;
  return { reason, detail, exitCode };
}

function announce(options: RunOptions, settings: { model: string; budgetUsd: number }, state: string): void {
  const money = `$${settings.budgetUsd.toFixed(2)}${options.simulated ? ' (simulated)' : ''}`;
  say(
    `model ${settings.model}, cap ${money}, no walls: what the agent runs can do what you can; state in ${state}`,
  );
}

function tell(end: RunEnd, journal: LiveJournal, dir: string): number {
  if (end.exitCode !== 0 || end.reason === 'planned') say(`To go on: ${goOn(end.reason, dir)}`);
  say(endSentence(end, journal.state));
  return end.exitCode;
}

/** The one command that goes on. */
function goOn(reason: string, dir: string): string {
  if (reason === 'planned' || GOES_ON_BY_ITSELF.has(reason)) return `longhaul run ${dir}`;
  if (reason === 'refused') return `longhaul run ${dir} --spec FILE, with a spec for a web app`;
  if (reason === 'budget') return `longhaul resume ${dir} --budget USD, with a higher cap`;
  return `longhaul resume ${dir}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
