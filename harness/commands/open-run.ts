// From a command line to a run that is locked and open: all refusals come before anything is written.

import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { type LonghaulError, refuse } from '../base/errors.js';
import { newId } from '../base/ids.js';
import { findOnPath } from '../base/on-path.js';
import { packageRoot, packageVersion } from '../base/package-root.js';
import { shellWord } from '../base/shell-word.js';
import { browserOfSetUp, type FoundBrowser, findBrowser } from '../browser/find-browser.js';
import { howToGetBrowser } from '../browser/get-browser.js';
import type { Environment } from '../config/environment.js';
import { type PageSettings, readPageSettings } from '../config/page-settings.js';
import { resolveSettings, type Settings } from '../config/settings.js';
import { openJournal } from '../journal/journal.js';
import { LiveJournal } from '../journal/live-journal.js';
import { readJournal } from '../journal/read-journal.js';
import { isHttpUrl } from '../model/api-address.js';
import {
  APP_CONFIG_FILE,
  type App,
  hasRun,
  journalOf,
  openApp,
  prepareApp,
  SPEC_FILE,
  whyNotNew,
} from '../workspace/app.js';
import { type AppSpec, readAppSpec, writeAppSpec } from '../workspace/app-spec.js';
import type { ControlRequest } from '../workspace/run-control.js';
import { acquireRunLock, heldError, isHeld, type RunLock } from '../workspace/run-lock.js';
import { capInForce } from './cap-in-force.js';
import { describeKept, keptFlags, withoutCap } from './kept-flags.js';

export interface RunRequest {
  dir: string;
  /** File or folder of the app spec; default `DIR/spec.md`. Needed for the first start only. */
  spec: string | undefined;
  /** Settings given as flags. */
  flags: Partial<Settings>;
  configFile: string | undefined;
  sandbox: boolean;
}

/** What was checked without writing anything. */
export interface CheckedRun {
  request: RunRequest;
  root: string;
  isNew: boolean;
  settings: Settings;
  apiKey: string;
  /** Where a person is paged, or null. */
  page: PageSettings | null;
  browser: FoundBrowser;
  /** The app spec, where one was given or found. */
  spec: AppSpec | null;
  /** Where the cap comes from, and what would change it. */
  whyCap: string;
  /** The flags in force, given now or kept from the last start. */
  flags: Partial<Settings>;
  /** Those of the last start that hold still, as they are typed; empty when there are none. */
  kept: string;
}

export interface OpenRun {
  app: App;
  journal: LiveJournal;
  lock: RunLock;
  branch: string;
}

/** @throws LonghaulError `refused` with one sentence; nothing on disk has changed. */
export async function checkRun(request: RunRequest, environment: Environment): Promise<CheckedRun> {
  const root = resolve(request.dir);
  await refuseHeld(root, environment);
  if (request.sandbox) {
    throw refuse(
      'This version has no walls around what the agent runs yet. Use a machine or container of its own, and say so with --no-sandbox.',
    );
  }
  if (!environment.apiKey && !environment.baseUrl) {
    throw refuse(
      'There is no API key: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a gateway that needs none.',
    );
  }
  if (environment.baseUrl !== undefined && !isHttpUrl(environment.baseUrl)) {
    throw refuse(
      `ANTHROPIC_BASE_URL is ${JSON.stringify(environment.baseUrl)}, which is no http or https address.`,
    );
  }
  if (existsSync(join(root, '.git')) && !lstatSync(join(root, '.git')).isDirectory()) {
    throw refuse(`${request.dir} is a submodule or a linked worktree; use the root of an ordinary clone.`);
  }
  const isNew = !hasRun(root);
  const file = operatorFile(request, environment);
  const records = isNew ? [] : readJournal(journalOf(root)).records;
  const cap = capInForce(request.flags.budgetUsd, records, file);
  const kept = keptFlags(records);
  const flags = { ...kept, ...request.flags };
  const settings = resolveSettings({
    flags: { ...flags, ...(cap.kept === null ? {} : { budgetUsd: cap.kept }) },
    operatorFile: file,
    appFile: join(root, APP_CONFIG_FILE),
  });
  const page = readPageSettings(file);
  const spec = findSpec(request, root, isNew);
  if (findOnPath('git', environment.host.PATH ?? '') === null)
    throw refuse(
      'There is no git on the PATH. Install it (Debian, Ubuntu: apt-get install git; macOS: xcode-select --install).',
    );
  if (isNew) {
    const why = await whyNotNew(root, environment.host);
    if (why) {
      throw refuse(
        `${root} cannot become a new app: ${why}. Name a folder that does not exist yet, is empty, or holds only a spec, pictures and a licence.`,
      );
    }
  }
  const browser = findBrowserOrRefuse(environment);
  return {
    request,
    root,
    isNew,
    settings,
    apiKey: environment.apiKey ?? 'none',
    page,
    browser,
    spec,
    whyCap: cap.why,
    flags: withoutCap(flags),
    kept: describeKept(kept, request.flags),
  };
}

/** Makes the folder a run's when it is new, takes the lock and opens the journal. */
export async function openRun(
  checked: CheckedRun,
  environment: Environment,
  onControl: (request: ControlRequest) => void,
): Promise<OpenRun> {
  const { root, isNew, spec } = checked;
  const app = isNew ? await prepareApp(root, environment.host) : await openApp(root, environment.host);
  const lock = await acquireRunLock(app, { startedAt: systemClock.now(), onControl });
  try {
    const journal = new LiveJournal(openJournal(app.journal, systemClock));
    const { runId, parked, specSha256 } = journal.state;
    const isOther = spec !== null && spec.sha256 !== specSha256;
    if (runId === null || (parked?.reason === 'refused' && isOther)) await beginRun(app, journal, spec);
    else if (isOther) throw otherSpec(checked.request);
    return { app, journal, lock, branch: journal.state.branch ?? 'main' };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function beginRun(app: App, journal: LiveJournal, spec: AppSpec | null): Promise<void> {
  if (spec === null) throw refuse(`${app.root} has no app spec.`);
  const branch = await app.git.branch();
  if (branch === null) throw refuse(`${app.root} has a detached HEAD; check out a branch first.`);
  const files = readdirSync(app.root).filter(name => name !== '.git');
  writeAppSpec(app.root, spec);
  journal.append({
    type: 'run.begin',
    runId: newId(),
    branch,
    specSha256: spec.sha256,
    longhaul: packageVersion(),
    files,
  });
}

/** Before all else: whatever is missing here, that run has it. */
async function refuseHeld(root: string, { host }: Environment): Promise<void> {
  if (!hasRun(root)) return;
  const app = await openApp(root, host);
  if (await isHeld(app)) throw heldError(app);
}

/** What a person changed in the spec reaches a run through `amend` alone. */
export function otherSpec({ dir, spec }: RunRequest): LonghaulError {
  return refuse(
    `The app spec is not the one that this run has (kept as ${SPEC_FILE}); take the changed one with longhaul amend ${shellWord(dir)}${spec === undefined ? '' : ` --spec ${shellWord(spec)}`}, or give the old one.`,
  );
}

/** The spec that was named, else the one in the folder. @throws LonghaulError `refused` when a new run has none. */
export function findSpec({ spec, dir }: RunRequest, root: string, isNew: boolean): AppSpec | null {
  const path = spec ?? join(root, 'spec.md');
  if (spec !== undefined || existsSync(path)) {
    const read = readAppSpec(path);
    if (read.text.trim() === readFileSync(join(packageRoot, 'templates', 'spec.md'), 'utf8').trim())
      throw refuse(`The spec ${path} is the template as it was made: fill it in first.`);
    return read;
  }
  if (!isNew) return null;
  throw refuse(
    `There is no spec in ${path}. Write one there (longhaul new ${shellWord(dir)} makes a template), or name it: longhaul run ${shellWord(dir)} --no-sandbox --spec FILE`,
  );
}

/** @throws LonghaulError `refused` for a file that was named and is not there. */
export function operatorFile({ configFile }: RunRequest, environment: Environment): string {
  if (configFile !== undefined && !existsSync(configFile))
    throw refuse(`The settings file ${configFile} does not exist.`);
  return configFile ?? environment.configFile;
}

function findBrowserOrRefuse({ browser, host }: Environment): FoundBrowser {
  const found = findBrowser({
    ...(browser === undefined ? {} : { wanted: browser }),
    ofSetUp: browserOfSetUp(),
    path: host.PATH ?? '',
    platform: process.platform,
  });
  if (found) return found;
  throw refuse(
    browser
      ? `LONGHAUL_BROWSER names ${browser}, which is not a program.`
      : `There is no browser. ${howToGetBrowser()}`,
  );
}
