// The first start stops at the plan when a person asked for that, or sits at the terminal and says no to it.

import { isOnPath } from '../base/on-path.js';
import type { Environment } from '../config/environment.js';
import { priceTable } from '../model/prices.js';
import type { RunEnd } from '../runner/end-sentence.js';
import { runApp } from '../runner/run-app.js';
import type { RunDeps } from '../runner/run-deps.js';
import { describePlan, usdPerFeature } from '../watch/plan-view.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import { askYesNo } from './ask-yes-no.js';

export interface PlanOptions {
  /** End after the plan. */
  plan: boolean;
  /** Ask nothing. */
  yes: boolean;
  simulated: boolean;
}

export async function planThenRun(
  deps: RunDeps,
  options: PlanOptions,
  { host }: Pick<Environment, 'host'>,
): Promise<RunEnd> {
  const isFirst = deps.journal.state.contractSha256 === null;
  const asks = process.stdin.isTTY && process.stdout.isTTY && !options.yes && isFirst;
  if (!options.plan && !asks) return runApp(deps);
  const planned = await runApp(deps, { planOnly: true });
  if (planned.reason !== 'planned') return planned;
  deps.say(await planText(deps, options.simulated, host.PATH ?? ''));
  if (options.plan || !(await askYesNo('Go on with this plan?'))) return planned;
  return runApp(deps);
}

async function planText(
  { app, journal, settings }: RunDeps,
  simulated: boolean,
  path: string,
): Promise<string> {
  const { plan, lastCommit } = journal.state;
  const { list } = await readCanonicalList(app, lastCommit ?? '');
  const price = priceTable().priceOf(settings.model);
  const said = plan ?? { stack: '', programs: [], questions: [] };
  return describePlan({
    list,
    plan: said,
    missingPrograms: said.programs.filter(program => !isOnPath(program, path)),
    usdPerFeature: usdPerFeature({
      cacheRead: price.cacheRead,
      cacheWrite: price.cacheWrite5m,
      output: price.output,
    }),
    simulated,
  });
}
