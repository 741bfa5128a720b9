// The order of the set-up: check what must be there, then bring what is missing, one set-up at a time in a checkout.

import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browser } from './browser.mjs';
import { build } from './build.mjs';
import { SetupFailure, tellFailure } from './failure.mjs';
import { findOnPath } from './files.mjs';
import { takeLock } from './lock.mjs';
import { packages } from './packages.mjs';
import { endRunningCommands } from './run-command.mjs';

/** Each step knows whether its work is done (in milliseconds, without starting a process) and how to do it. */
const STEPS = [packages, build, browser];

export async function setUp(args) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const project = { root, env: process.env, say: tell };
  endOnSignals();
  try {
    refuseUnknown(args);
    requireGit(project);
    const missing = STEPS.filter(step => !step.isDone(project));
    if (missing.length > 0) await bringMissing(project);
    else if (!args.includes('--quiet')) tell('Set-up: packages, build and browser are there.');
  } catch (error) {
    tell(tellFailure(error));
    process.exitCode = 1;
  }
}

/** Asks every step again under the lock: another set-up may have done the work while this one waited. */
async function bringMissing(project) {
  const release = await takeLock(join(project.root, '.longhaul-setup.lock'), project.say);
  try {
    for (const step of STEPS) {
      if (!step.isDone(project)) await step.bring(project);
    }
  } finally {
    release();
  }
}

function refuseUnknown(args) {
  const unknown = args.find(arg => arg !== '--quiet');
  if (unknown !== undefined) {
    throw new SetupFailure(`it does not know the argument ${unknown}`, {
      byHand: 'run it as `node scripts/setup.mjs` or `node scripts/setup.mjs --quiet`.',
    });
  }
}

function requireGit(project) {
  if (findOnPath('git', project.env)) return;
  throw new SetupFailure('git is not installed (no `git` on PATH)', {
    byHand:
      'Debian and Ubuntu: `apt-get install git`; macOS: `xcode-select --install`. Then run the command again.',
  });
}

/** All of it goes to stderr: stdout belongs to the command that follows, which may print JSON. */
function tell(text) {
  process.stderr.write(`${text}\n`);
}

/** By any other signal this process dies at once, and its command with it. */
function endOnSignals() {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await endRunningCommands();
      process.exit(128 + constants.signals[signal]);
    });
  }
}
