// Builds the adapters of a run from real parts: the only place that does.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { findOnPath } from '../base/on-path.js';
import { redactor, secretValues } from '../base/redact.js';
import type { Environment } from '../config/environment.js';
import type { LiveJournal } from '../journal/live-journal.js';
import { anthropicModel } from '../model/anthropic-model.js';
import { apiAddress } from '../model/api-address.js';
import { budgeted } from '../model/budgeted-model.js';
import { patientModel } from '../model/patient-model.js';
import { priceTable } from '../model/prices.js';
import { acceptedTypes, readSeenApi } from '../model/seen-api.js';
import { createPager, type Pager } from '../pager/pager.js';
import type { RunDeps } from '../runner/run-deps.js';
import { spendLedger } from '../runner/spend-ledger.js';
import { specProof } from '../verify/spec-proof.js';
import type { App } from '../workspace/app.js';
import { openBareRoom } from '../workspace/bare-room.js';
import { readCanonicalList } from '../workspace/list-guard.js';
import { endByMarker } from '../workspace/processes.js';
import type { CheckedRun } from './open-run.js';

export interface WireOptions {
  app: App;
  journal: LiveJournal;
  branch: string;
  checked: CheckedRun;
  environment: Environment;
  signal: AbortSignal;
  asked: RunDeps['asked'];
  mine: RunDeps['mine'];
  say(line: string): void;
}

export async function wireRun(options: WireOptions): Promise<RunDeps & { close(): Promise<void> }> {
  const { app, journal, branch, checked, environment, signal, asked, mine, say } = options;
  const { settings } = checked;
  const clock = systemClock;
  const api = anthropicModel({
    apiKey: checked.apiKey,
    baseUrl: environment.baseUrl,
    clock,
    idleLimitMs: settings.idleMinutes * 60_000,
    totalLimitMs: settings.answerMinutes * 60_000,
  });
  const prices = priceTable();
  // The agent commits in its shell, whose HOME has no git configuration.
  const identity = await app.git.identity();
  // Of this app alone, so that a crashed run's rooms can be swept without touching another run's.
  const rooms = join(
    environment.stateFolder,
    'rooms',
    createHash('sha256').update(app.root).digest('hex').slice(0, 16),
  );

  return {
    app,
    journal,
    branch,
    clock,
    settings,
    signal,
    asked,
    mine,
    say,
    proof: specProof({ browser: checked.browser }),
    openModel: session => {
      const ledger = spendLedger(journal, session, settings.budgetUsd);
      const model = patientModel(budgeted(api, ledger, { prices, countTokens: api.countTokens }), {
        clock,
        random: Math.random,
        inherited: journal.state.owedWait,
        onWaitBegin: ({ fault, message, untilMs }) =>
          void journal.append({ type: 'wait.begin', session, fault, message, untilMs }),
        onWaitEnd: () => void journal.append({ type: 'wait.end', session }),
      });
      return { model, moneyLeft: ledger.moneyLeft };
    },
    acceptedTypes: acceptedTypes(
      readSeenApi(environment.stateFolder, {
        address: apiAddress(environment.baseUrl),
        model: settings.model,
      }),
    ),
    browser: checked.browser,
    rg: findOnPath('rg', environment.host.PATH ?? ''),
    openRoom: (name, marker) => {
      mkdirSync(rooms, { recursive: true, mode: 0o700 });
      return openBareRoom({ folder: join(rooms, name), marker, clock, host: environment.host, identity });
    },
    endProcesses: prefix => endByMarker(prefix),
    sweepRooms: () => {
      mkdirSync(rooms, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(rooms)) rmSync(join(rooms, name), { recursive: true, force: true });
    },
    close: async () => {
      await endByMarker(`${journal.state.runId}.`);
      // Empty by now; a leftover stays for the next start.
      if (existsSync(rooms) && readdirSync(rooms).length === 0) rmdirSync(rooms);
    },
  };
}

/** The pager of a run. It needs no model, so a run that rests has it too. */
export function wirePager({
  app,
  journal,
  checked,
  environment,
  next,
}: Pick<WireOptions, 'app' | 'journal' | 'environment'> & {
  checked: Pick<CheckedRun, 'page' | 'apiKey'>;
  next(reason: string): string;
}): Pager {
  const { page } = checked;
  const { host } = environment;
  return createPager({
    settings: page,
    journal,
    app: {
      name: basename(app.root),
      state: app.state,
      readList: async () => {
        const { lastCommit } = journal.state;
        return lastCommit === null ? null : (await readCanonicalList(app, lastCommit)).list;
      },
    },
    next,
    redact: redactor([checked.apiKey, ...secretValues(host), ...(page?.webhook ? [page.webhook] : [])]),
    clock: systemClock,
    host,
    cwd: host.HOME ?? dirname(environment.configFile),
  });
}
