// The npm packages: node_modules corresponds to package-lock.json, or `npm ci` makes it so.

import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { lastLines, SetupFailure } from './failure.mjs';
import { hashOf, readJson, writeJson } from './files.mjs';
import { runCommand } from './run-command.mjs';

const LIMIT_SECONDS = 15 * 60;

export const packages = {
  isDone(project) {
    const stamp = readJson(stampFile(project));
    return stamp !== undefined && sameValues(stamp, fingerprint(project)) && nothingRemoved(project);
  },

  async bring(project) {
    if (!installedByHand(project)) await install(project);
    writeJson(stampFile(project), fingerprint(project));
  },
};

function stampFile({ root }) {
  return join(root, 'node_modules', '.longhaul-setup.json');
}

/** npm's own record of what lies in node_modules; it is written last, so an interrupted install has none. */
function installedFile({ root }) {
  return join(root, 'node_modules', '.package-lock.json');
}

function lockFile({ root }) {
  return join(root, 'package-lock.json');
}

/** Everything that decides whether an install is still the right one. */
function fingerprint(project) {
  const wanted = existsSync(lockFile(project)) ? lockFile(project) : join(project.root, 'package.json');
  return {
    wanted: hashOf(wanted),
    installed: hashOf(installedFile(project)),
    node: process.versions.modules,
    machine: `${process.platform}-${process.arch}`,
  };
}

function sameValues(left, right) {
  return Object.keys(right).every(key => left[key] === right[key]);
}

/** Somebody may have deleted a package's folder by hand. */
function nothingRemoved(project) {
  const installed = readJson(installedFile(project))?.packages ?? {};
  return Object.keys(installed).every(path => existsSync(join(project.root, path)));
}

/** True for a node_modules that somebody's own `npm install` made on this machine with all that is locked. */
function installedByHand(project) {
  const stamp = readJson(stampFile(project));
  const { node, machine } = fingerprint(project);
  if (stamp && (stamp.node !== node || stamp.machine !== machine)) return false;

  const locked = readJson(lockFile(project))?.packages;
  const installed = readJson(installedFile(project))?.packages;
  if (!locked || !installed) return false;
  return (
    Object.entries(locked).every(([path, entry]) => {
      if (path === '') return true;
      const found = installed[path];
      if (!found) return entry.optional === true && !madeForThisMachine(entry);
      return found.version === entry.version && found.integrity === entry.integrity;
    }) && nothingRemoved(project)
  );
}

/** Whether an optional package names this system and processor; one that names none is never missed. */
function madeForThisMachine({ os, cpu, libc }) {
  if (!os && !cpu) return false;
  const fits = (list, value) => !list || list.includes(value);
  return fits(os, process.platform) && fits(cpu, process.arch) && (!libc || libc.includes(libcHere()));
}

function libcHere() {
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

async function install(project) {
  const command = existsSync(lockFile(project)) ? 'ci' : 'install';
  project.say('Installing the npm packages (about a minute) …');
  rmSync(stampFile(project), { force: true });
  const [program, ...first] = npmOf(project.env);
  // The build and the tests need the development packages, whatever NODE_ENV or an .npmrc says.
  const result = await runCommand(program, [...first, command, '--include=dev'], {
    cwd: project.root,
    env: environmentForNpm(project.env),
    limitSeconds: LIMIT_SECONDS,
  });
  if (result.ok) return;
  throw new SetupFailure(`the npm packages could not be installed, \`npm ${command}\` ${result.how}`, {
    output: errorLines(result.output),
    byHand:
      `run \`npm ${command}\` in ${project.root} and mend what it complains about: often the network, a proxy or the registry in your .npmrc; ` +
      'a lock file that is not in sync is mended by `npm install`. Then run the command again.',
  });
}

/** npm tells the reason first and then, at length, how its command is used. */
function errorLines(output) {
  const [reason] = output.split(/^npm error Usage:$/m);
  const errors = lastLines(reason, 1000)
    .split('\n')
    .filter(line => /^npm error +\S/.test(line));
  return errors.length > 0 ? errors.slice(0, 15).join('\n') : lastLines(output, 15);
}

/** Inside `npm run` the same npm that runs us; otherwise the one on PATH. */
function npmOf(env) {
  const parent = env.npm_execpath ?? '';
  return basename(parent) === 'npm-cli.js' && existsSync(parent) ? [process.execPath, parent] : ['npm'];
}

/**
 * npm hands its settings down as npm_config_*, the person's own among them, so they stay.
 * Two stem from how the outer npm was called and would do harm here: `--silent` hides the errors, `--dry-run` the packages.
 */
function environmentForNpm(env) {
  const { npm_config_loglevel: loglevel, npm_config_dry_run: _, ...rest } = env;
  return loglevel === undefined || loglevel === 'silent' ? rest : { ...rest, npm_config_loglevel: loglevel };
}
