// Runs a command that must not outlive the set-up: stdin is a pipe to it, and a pipe ends however its owner dies.
// Without this a set-up that was killed would leave an `npm ci` behind, writing beside that of the next one.

import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

child.once('error', error => {
  console.error(`${command} could not be started: ${error.message}`);
  process.exit(127);
});
child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 143)));

// The group gets the signal, so the command has it too: wait for it, that its end is seen.
process.on('SIGTERM', () => {});

process.stdin.on('end', () => process.kill(0, 'SIGKILL'));
process.stdin.on('error', () => process.kill(0, 'SIGKILL'));
process.stdin.resume();
