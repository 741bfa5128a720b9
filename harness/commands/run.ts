// `run` and `resume`: go on with a build until it is done or a person must act.

import { dollars } from '../base/amounts.js';
import { systemClock } from '../base/clock.js';
import { EXIT, LonghaulError, refuse } from '../base/errors.js';
import { failureOf } from '../base/failure.js';
import { type Environment, readEnvironment } from '../config/environment.js';
import type { LiveJournal } from '../journal/live-journal.js';
import type { RunState } from '../journal/run-state.js';
import { restOf } from '../pager/cause.js';
import { endSentence, type RunEnd } from '../runner/end-sentence.js';
import { refuseUntaken } from '../runner/persons-work.js';
import type { RunDeps } from '../runner/run-deps.js';
import { narratorFor } from '../watch/narrator.js';
import { type Output, openOutput } from '../watch/terminal.js';
import type { App } from '../workspace/app.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import { type Background, inBackground, isBackground } from './background.js';
import { startDetached } from './detach.js';
import { firstLines } from './first-lines.js';
import { goOnCommand, nextFor, restingEnd } from './going-on.js';
import { type CheckedRun, checkRun, openRun, type RunRequest } from './open-run.js';
import { type RestingRun, restingRun, sendUnsentPages } from './resting-run.js';
import { planThenRun } from './show-plan.js';
import { onStopSignals } from './stop-signals.js';
import { wirePager, wireRun } from './wire.js';

export interface RunOptions extends RunRequest {
  /** Dollars are simulated: the API is a stand-in. */
  simulated: boolean;
  /** A person says "go on" to a parked run. */
  resume: boolean;
  /** With `resume`: only this feature gets its attempts again. */
  retry: string | null;
  /** With `resume`: words for the next session, such as the answer to its question. */
  say: string | null;
  /** Only the initializer: print what it planned and end. */
  plan: boolean;
  /** Do not ask on a terminal whether the plan is right. */
  yes: boolean;
  /** What to do with uncommitted changes of a person's; null refuses and names them. */
  mine: 'commit' | 'stash' | null;
  /** Go on in a process without a terminal. */
  detach: boolean;
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
  if (options.detach && options.plan)
    throw refuse(
      '--plan ends before anything is built, so nothing would go on in the background; leave --detach out.',
    );
  if (options.detach && isBackground(environment))
    return inBackground(environment, background => build(options, environment, adapt, background));
  const output = openOutput(process.stdout, environment.host);
  const resting = options.resume ? null : await restingRun(options, environment);
  if (resting) return tellRest(resting, options, environment, output);
  if (options.detach) return startDetached(await checkOrRefuse(options, environment), environment, output);
  return build(options, environment, adapt);
}

/** Why there is nothing to do, and the one command that goes on. */
async function tellRest(
  resting: RestingRun,
  options: RunOptions,
  environment: Environment,
  output: Output,
): Promise<number> {
  const { app, state, end } = resting;
  await sendUnsentPages(resting, options, environment, reason =>
    nextFor(reason, app.root, options.simulated),
  );
  output.lines(lastLines(end, state, goOnCommand(end.reason, app.root, options.simulated)));
  return end.exitCode;
}

async function build(
  options: RunOptions,
  environment: Environment,
  adapt: (deps: RunDeps) => RunDeps,
  background?: Background,
): Promise<number> {
  // From here on a reader that goes away (`| head`) ends no run.
  const output = openOutput(background?.stream ?? process.stdout, environment.host);
  const say = (line: string) => output.lines([line]);
  const checked = await checkOrRefuse(options, environment);
  const stop = onStopSignals({ clock: systemClock, hangup: background === undefined });
  const run = await openRun(checked, environment, stop.take);
  try {
    const { app, journal } = run;
    const pager = wirePager({
      app,
      journal,
      checked,
      environment,
      next: reason => nextFor(reason, app.root, options.simulated),
    });
    const tell = (end: RunEnd): number => {
      output.lines(lastLines(end, journal.state, goOnCommand(end.reason, app.root, options.simulated)));
      return end.exitCode;
    };
    // Another process may have brought it to rest since it was looked at.
    const rested = options.resume ? null : restingEnd(journal.state);
    if (rested) return tell(rested);
    refuseOtherMoney(journal, options.simulated);
    if (options.retry !== null) await refuseUnknownFeature(app, journal, options.retry);
    refuseSpentCap(options.flags.budgetUsd, journal);
    await refuseUntaken({ ...run, mine: options.mine }).catch(passOverDamage);
    beginProcess(journal, options, checked);
    output.lines(firstLines(options, checked, app));
    const narrate = narratorFor(output);
    journal.onRecord = record => {
      const line = narrate(record, journal.state);
      if (line !== null) say(line);
      if (record.type === 'session.begin') background?.begun(app);
    };
    const { signal, asked } = stop;
    const deps = await wireRun({ ...run, checked, environment, signal, asked, say, mine: options.mine });
    // Beside the work: a receiver that hangs must not hold it up.
    const flushed = pager.flush();
    let end: RunEnd;
    try {
      end = await planThenRun(adapt(deps), options, environment);
    } catch (error) {
      endWithSentence(journal, error);
      throw error;
    } finally {
      await deps.close();
      await flushed;
      const rest = restOf(journal.state);
      if (rest) await pager.page(rest);
    }
    journal.append({ type: 'process.end', exitCode: end.exitCode });
    return tell(end);
  } finally {
    stop.dispose();
    run.journal.close();
    await run.lock.release();
  }
}

async function checkOrRefuse(options: RunOptions, environment: Environment): Promise<CheckedRun> {
  const checked = await checkRun(options, environment);
  if (!options.resume || !checked.isNew) return checked;
  throw refuse(`There is no run in ${checked.root} to resume; start one with longhaul run.`);
}

function beginProcess(journal: LiveJournal, options: RunOptions, { settings, flags }: CheckedRun): void {
  journal.append({
    type: 'process.begin',
    pid: process.pid,
    model: settings.model,
    budgetUsd: settings.budgetUsd,
    settings: { ...settings },
    flags: { ...flags },
    walls: 'none',
    simulated: options.simulated,
  });
  if (!options.resume) return;
  journal.append({
    type: 'person.resume',
    budgetUsd: options.flags.budgetUsd ?? null,
    retry: options.retry,
    ...(options.say === null ? {} : { said: options.say }),
  });
}

function lastLines(end: RunEnd, state: RunState, goOn: string): string[] {
  const isOver = end.exitCode === EXIT.done && end.reason !== 'planned';
  return [...(isOver ? [] : [`To go on: ${goOn}`]), endSentence(end, state)];
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

/** The process ended with a sentence and did not crash. */
function endWithSentence(journal: LiveJournal, error: unknown): void {
  try {
    journal.append({ type: 'process.end', exitCode: failureOf(error).exitCode });
  } catch {
    // A journal that takes no record is what the sentence is about, or will be the next time.
  }
}

function refuseSpentCap(cap: number | undefined, { state }: LiveJournal): void {
  if (cap === undefined || cap > state.spentUsd) return;
  throw refuse(
    `--budget is ${dollars(cap)}, but this run has spent ${dollars(state.spentUsd)} already: the cap is that of the whole run; name one above that.`,
  );
}

/** Damage is recorded and paged by the run itself. */
function passOverDamage(error: unknown): void {
  if (!(error instanceof LonghaulError) || error.code !== 'damage') throw error;
}

/** What a start with other values than the last one must not do silently. */
function refuseOtherMoney({ state }: LiveJournal, simulated: boolean): void {
  if (state.model === null || state.simulated === simulated) return;
  throw refuse(
    state.simulated
      ? 'This run was built with a stand-in and simulated dollars; it cannot go on with a real model. Start a new run in another folder.'
      : 'This run was built with a real model; it cannot go on with simulated dollars.',
  );
}
