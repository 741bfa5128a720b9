// Runs one command to its end, within a time limit, and leaves no process of it behind.

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const TIED_COMMAND = fileURLToPath(new URL('./tied-command.mjs', import.meta.url));

/** Time that a command gets to leave by itself before its group is killed. npm never takes the hint. */
const GRACE_SECONDS = 0.5;

/** Time that a killed group gets to vanish: a thread may still be writing to the disk. */
const VANISH_MS = 300;

/** Time for the rest of the output after the end, should something that got away hold the pipes open. */
const OUTPUT_MS = 1_000;

/** Enough for every error message; npm and apt can print megabytes. */
const KEPT_OUTPUT = 64 * 1024;

const running = new Set();
let ending = false;

/** Resolves to `{ ok, how, output }`, where `how` completes a sentence: "ended with code 1". Never rejects. */
export async function runCommand(command, args, { cwd, env, limitSeconds, graceSeconds = GRACE_SECONDS }) {
  // A process group of its own, so that the command can be ended together with everything that it started.
  const child = spawn(process.execPath, [TIED_COMMAND, command, ...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const group = { child, graceSeconds };
  running.add(group);
  child.stdin.on('error', () => {});

  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', text => {
      output = (output + text).slice(-KEPT_OUTPUT);
    });
  }

  let late = false;
  const limit = setTimeout(() => {
    late = true;
    endGroup(group);
  }, limitSeconds * 1000);
  const how = await new Promise(resolve => {
    child.once('error', error => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      killGroup(child); // What it left running would hold the pipes open.
      const told = () => resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`);
      child.once('close', told);
      setTimeout(told, OUTPUT_MS).unref();
    });
  });
  clearTimeout(limit);
  running.delete(group);
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();

  // The signal's handler is about to exit; the step must not take this for a failure and go on with its next way.
  if (ending) await new Promise(() => {});
  return {
    ok: how === 'ended with code 0',
    how: late ? `was stopped after ${limitSeconds} seconds` : how,
    output,
  };
}

/** For the end of the set-up by a signal: resolves when no command is left. */
export async function endRunningCommands() {
  ending = true;
  await Promise.all([...running].map(endGroup));
}

async function endGroup({ child, graceSeconds }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise(resolve => child.once('exit', resolve));
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => killGroup(child), graceSeconds * 1000);
  await gone;
  clearTimeout(timer);
  const deadline = performance.now() + VANISH_MS;
  while (killGroup(child) && performance.now() < deadline) await sleep(20);
}

/** Whether anybody was there to kill. */
function killGroup(child) {
  return signalGroup(child, 'SIGKILL');
}

function signalGroup(child, signal) {
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
