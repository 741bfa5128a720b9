// `doctor`: what a run needs of this machine, each looked at for real; with `--live` of the API too.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { refuse } from '../base/errors.js';
import { findOnPath } from '../base/on-path.js';
import { browserOfSetUp, findBrowser } from '../browser/find-browser.js';
import { howToGetBrowser } from '../browser/get-browser.js';
import { type Environment, readEnvironment } from '../config/environment.js';
import { type LiveRequest, prepareLive } from './doctor-live.js';
import { exitCodeOf, type Finding, findingLine } from './finding.js';

/** A long build with packages, traces and transcripts fits into this. */
const ENOUGH_BYTES = 5 * 2 ** 30;
const LONGEST_MS = 20_000;

export interface DoctorRequest extends LiveRequest {
  /** Ask the API too. */
  live: boolean;
}

/** @returns 0 when a run can start on this machine, else 2. */
export async function doctorCommand(request: DoctorRequest): Promise<number> {
  const { dir, live, yes, model, json } = request;
  if (!live && (yes || model !== undefined)) throw refuse('--yes and --model belong to doctor --live.');
  const environment = readEnvironment();
  const askApi = live ? prepareLive(request, environment) : null;
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    findings.push(finding);
    if (!json) process.stdout.write(`${findingLine(finding)}\n`);
  };
  for (const finding of machineFindings(dir, environment)) tell(finding);
  await askApi?.(tell);
  if (json) process.stdout.write(`${JSON.stringify(findings)}\n`);
  return exitCodeOf(findings);
}

function machineFindings(dir: string | undefined, environment: Environment): Finding[] {
  return [
    node(),
    git(environment),
    browser(environment),
    walls(),
    disk(resolve(dir ?? '.')),
    state(environment),
    key(environment),
    program('rg', 'search in the app is slower without it (Debian: apt-get install ripgrep)', environment),
  ];
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 12);
  return {
    what: 'node',
    state: fits ? 'ok' : 'needed',
    text: fits ? process.version : `${process.version}; 20.12 or later is needed`,
  };
}

function git({ host }: Environment): Finding {
  const path = findOnPath('git', host.PATH ?? '');
  const text = path ? firstLine(path, ['--version']) : null;
  return {
    what: 'git',
    state: text ? 'ok' : 'needed',
    text: text ?? 'not found; Debian: apt-get install git, macOS: xcode-select --install',
  };
}

function browser({ host, browser: wanted }: Environment): Finding {
  const found = findBrowser({
    ...(wanted === undefined ? {} : { wanted }),
    ofSetUp: browserOfSetUp(),
    path: host.PATH ?? '',
    platform: process.platform,
  });
  const help = howToGetBrowser();
  if (!found) return { what: 'browser', state: 'needed', text: `none found. ${help}` };
  const version = firstLine(found.executablePath, ['--version', '--no-sandbox']);
  return {
    what: 'browser',
    state: version ? 'ok' : 'needed',
    text: version ? `${version}, ${found.executablePath}` : `${found.executablePath} does not start. ${help}`,
  };
}

function walls(): Finding {
  return {
    what: 'walls',
    state: 'better',
    text: 'none in this version: what the agent runs can do what you can; use a machine of its own and --no-sandbox',
  };
}

function disk(path: string): Finding {
  const there = existsSync(path) ? path : dirname(path);
  const { bavail, bsize } = statfsSync(existsSync(there) ? there : '/');
  const free = `${(bavail * bsize) / 2 ** 30 > 100 ? Math.round((bavail * bsize) / 2 ** 30) : ((bavail * bsize) / 2 ** 30).toFixed(1)} GiB free`;
  return {
    what: 'disk',
    state: bavail * bsize >= ENOUGH_BYTES ? 'ok' : 'better',
    text: `${free} at ${there}`,
  };
}

function state({ stateFolder }: Environment): Finding {
  try {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    return { what: 'state', state: 'ok', text: stateFolder };
  } catch {
    return {
      what: 'state',
      state: 'needed',
      text: `${stateFolder} cannot be made; set XDG_STATE_HOME to a folder of yours`,
    };
  }
}

function key({ apiKey, baseUrl }: Environment): Finding {
  if (apiKey)
    return { what: 'key', state: 'ok', text: `ANTHROPIC_API_KEY is set${baseUrl ? `, for ${baseUrl}` : ''}` };
  if (baseUrl) return { what: 'key', state: 'better', text: `none, for ${baseUrl}` };
  return {
    what: 'key',
    state: 'needed',
    text: 'none; set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a gateway that needs none',
  };
}

function program(name: string, why: string, { host }: Environment): Finding {
  const path = findOnPath(name, host.PATH ?? '');
  return { what: name, state: path ? 'ok' : 'better', text: path ?? `not found; ${why}` };
}

/** The first line that a program prints, or null when it does not start. */
function firstLine(path: string, args: string[]): string | null {
  try {
    const text = execFileSync(path, args, {
      encoding: 'utf8',
      timeout: LONGEST_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text.split('\n', 1)[0]?.trim() || null;
  } catch {
    return null;
  }
}
