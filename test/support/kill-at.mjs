// Preloaded into a run (`node --import`): ends it by SIGKILL at one chosen durable write, from outside of the product's code.
// KILL_AT is `journal:<record type>`, `git:<subcommand>` or `rename:<file name>`, with `#n` for the n-th such write.

import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const [, kind, what, count] = /^(journal|git|rename):([^#]+)#(\d+)$/.exec(process.env.KILL_AT ?? '') ?? [];
let seen = 0;

/** Only the process of the run itself: what it starts does not load this file, since its environment is made anew. */
function reached() {
  if (++seen === Number(count)) process.kill(process.pid, 'SIGKILL');
}

if (kind === 'journal') {
  const { writeSync, fdatasyncSync } = fs;
  let due = false;
  fs.writeSync = (fd, data, ...rest) => {
    due = String(data).includes(`"type":"${what}"`) && String(data).includes('"sum":');
    return writeSync(fd, data, ...rest);
  };
  // After the sync: the record is on disk, and nothing that follows it has happened.
  fs.fdatasyncSync = fd => {
    fdatasyncSync(fd);
    if (due) reached();
  };
} else if (kind === 'rename') {
  const { renameSync } = fs;
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    if (basename(String(to)) === what) reached();
  };
} else if (kind === 'git') {
  const { spawn } = childProcess;
  childProcess.spawn = (command, args, options) => {
    const child = spawn(command, args, options);
    if (command === 'git' && args.includes(what)) child.once('exit', reached);
    return child;
  };
}
syncBuiltinESMExports();
