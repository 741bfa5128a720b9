// `doctor --live`: says what it would ask the API and what that costs at most, asks a person, and keeps what it saw.

import { join, resolve } from 'node:path';
import { dollars } from '../base/amounts.js';
import { systemClock } from '../base/clock.js';
import { refuse } from '../base/errors.js';
import type { Environment } from '../config/environment.js';
import { resolveSettings } from '../config/settings.js';
import { anthropicModel } from '../model/anthropic-model.js';
import { apiAddress, isHttpUrl } from '../model/api-address.js';
import { budgeted } from '../model/budgeted-model.js';
import { capLedger } from '../model/cap-ledger.js';
import { priceTable } from '../model/prices.js';
import { writeSeenApi } from '../model/seen-api.js';
import { APP_CONFIG_FILE } from '../workspace/app.js';
import { askYesNo } from './ask-yes-no.js';
import type { Finding } from './finding.js';
import { liveChecks, worstCase } from './live-checks.js';

export interface LiveRequest {
  dir: string | undefined;
  /** Default: the model of the settings. */
  model: string | undefined;
  /** Do not ask. */
  yes: boolean;
  /** Standard output is for JSON alone. */
  json: boolean;
}

/** What all calls together may cost. */
const CAP_USD = 0.05;
/** A word or two comes soon, or something is wrong. */
const LIMITS = { idleLimitMs: 60_000, totalLimitMs: 120_000 };

/**
 * The live part, refused before anything else is done where it cannot work.
 * @returns a function that asks the person and then the API, and tells each finding.
 */
export function prepareLive(
  request: LiveRequest,
  environment: Environment,
): (tell: (finding: Finding) => void) => Promise<void> {
  const { apiKey, baseUrl, configFile } = environment;
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) {
    throw refuse(`ANTHROPIC_BASE_URL is ${JSON.stringify(baseUrl)}, which is no http or https address.`);
  }
  const { model } = resolveSettings({
    flags: { model: request.model },
    operatorFile: configFile,
    appFile: join(resolve(request.dir ?? '.'), APP_CONFIG_FILE),
  });
  const output = request.json ? process.stderr : process.stdout;
  if (!request.yes && !(process.stdin.isTTY && output.isTTY)) {
    throw refuse(
      `doctor --live costs up to ${dollars(CAP_USD)} and asks first, but there is no terminal to ask on; say --yes to let it.`,
    );
  }
  return async tell => {
    if (!apiKey && !baseUrl)
      return tell({ what: 'api', state: 'better', text: 'not asked: there is no key' });
    output.write(`${offer(apiAddress(baseUrl), model)}\n`);
    if (!request.yes && !(await askYesNo('Ask it?', output))) {
      return tell({ what: 'api', state: 'better', text: 'not asked: a person said no' });
    }
    await askApi(model, environment, tell);
  };
}

function offer(address: string, model: string): string {
  const prices = priceTable();
  const { calls, usd } = worstCase(model, prices.priceOf(model));
  const priced = prices.knows(model)
    ? `by the prices of ${prices.date}`
    : 'its price is not known, so it counts as the dearest';
  return `This asks ${address} for real: up to ${calls} paid calls to ${model}, at most ${dollars(Math.min(Math.ceil(usd * 100) / 100, CAP_USD))} (${priced}).`;
}

async function askApi(
  model: string,
  { apiKey = 'none', baseUrl, stateFolder }: Environment,
  tell: (finding: Finding) => void,
): Promise<void> {
  const api = anthropicModel({ apiKey, baseUrl, clock: systemClock, ...LIMITS });
  const ledger = capLedger(CAP_USD);
  const address = apiAddress(baseUrl);
  const verdicts = await liveChecks({
    api: budgeted(api, ledger, { prices: priceTable(), countTokens: api.countTokens }),
    countTokens: api.countTokens,
    address,
    model,
    signal: new AbortController().signal,
    tell,
  });
  const at = new Date(systemClock.now()).toISOString();
  const seen = Object.entries(verdicts).map(([type, verdict]) => [type, { verdict, at }]);
  if (seen.length > 0) writeSeenApi(stateFolder, { address, model, tools: Object.fromEntries(seen) });
  // In parts of a cent.
  const spent = `$${ledger.spentUsd().toFixed(4)}`;
  tell({ what: 'cost', state: 'ok', text: `${spent} of at most ${dollars(CAP_USD)}` });
}
