// One set-up at a time in a checkout: a lock folder that names its owner and is taken over when the owner is dead.

import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson } from './files.mjs';

const POLL_MS = 200;

/** Waits until the folder is ours. Returns the function that gives it back; the end of the process does so too. */
export async function takeLock(folder, say) {
  const ownerFile = `owner-${process.pid}-${randomBytes(6).toString('hex')}`;
  let toldOf;
  while (!tryTake(folder, ownerFile)) {
    const holder = readHolder(folder);
    if (holder && !isAlive(holder)) {
      // Each owner's file has a name of its own: nobody can remove the lock of the next owner by mistake.
      rmSync(holder.file, { force: true });
      continue;
    }
    if (holder && toldOf !== holder.file) {
      say(`Another set-up (process ${holder.pid}) works in this checkout; waiting for it …`);
      toldOf = holder.file;
    }
    await sleep(POLL_MS);
  }
  const release = () => {
    quietly(() => unlinkSync(join(folder, ownerFile)));
    quietly(() => rmdirSync(folder));
  };
  process.once('exit', release);
  return release;
}

/** Renames a folder with the owner already in it: that works only while the lock is missing or empty, and at once. */
function tryTake(folder, ownerFile) {
  if (readHolder(folder)) return false;
  const draft = `${folder}.${ownerFile}`;
  mkdirSync(draft);
  try {
    writeFileSync(
      join(draft, ownerFile),
      JSON.stringify({ pid: process.pid, started: startOf(process.pid) }),
    );
    renameSync(draft, folder);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(folder) {
  let name;
  try {
    name = readdirSync(folder).find(entry => entry.startsWith('owner-'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
  if (name === undefined) return undefined;
  const file = join(folder, name);
  return { file, ...readJson(file) };
}

function isAlive({ pid, started }) {
  if (!Number.isInteger(pid)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  // Process numbers come round again, in a restarted container at once.
  return startOf(pid) === started;
}

/** When the process began, as Linux counts it; elsewhere always `unknown`. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return 'unknown';
  }
}

function quietly(remove) {
  try {
    remove();
  } catch {
    // Gone already, or somebody else's by now.
  }
}
