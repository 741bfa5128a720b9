// The build: dist/ holds exactly what the sources of now compile to.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, SetupFailure } from './failure.mjs';
import { readJson, writeJson } from './files.mjs';
import { runCommand } from './run-command.mjs';

const LIMIT_SECONDS = 10 * 60;

export const build = {
  isDone(project) {
    const stamp = readJson(stampFile(project));
    return (
      stamp?.sources === sourcesHash(project) &&
      leftovers(project).length === 0 &&
      missing(project).length === 0
    );
  },

  async bring(project) {
    project.say('Compiling …');
    rmSync(stampFile(project), { force: true });
    if (leftovers(project).length > 0) removeDist(project);
    const sources = sourcesHash(project);
    await compile(project);
    if (missing(project).length > 0) {
      // The compiler's own record says that all is there: without the record it looks no further than the sources.
      removeDist(project);
      await compile(project);
    }
    // The hash of before: what was saved while the compiler ran is compiled the next time.
    writeJson(stampFile(project), { sources });
  },
};

function stampFile({ root }) {
  return join(root, 'dist', '.longhaul-setup.json');
}

function removeDist({ root }) {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
}

function sourcesHash({ root }) {
  const settings = readdirSync(root).filter(
    name => name === 'package.json' || /^tsconfig.*\.json$/.test(name),
  );
  const sources = filesUnder(join(root, 'harness'), /\.(ts|json)$/).map(name => join('harness', name));
  const hash = createHash('sha256');
  for (const name of [...settings, ...sources].sort()) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Compiled files whose source is gone: an import of one would still work here and fail everywhere else. */
function leftovers(project) {
  const wanted = new Set(outputs(project));
  return filesUnder(join(project.root, 'dist'), /\.js$/).filter(name => !wanted.has(name));
}

function missing(project) {
  return outputs(project).filter(name => !existsSync(join(project.root, 'dist', name)));
}

function outputs({ root }) {
  return filesUnder(join(root, 'harness'), /(?<!\.d)\.ts$/).map(name => name.replace(/\.ts$/, '.js'));
}

function filesUnder(folder, pattern) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true }).filter(name => pattern.test(name));
}

async function compile({ root, env }) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = await runCommand(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--pretty', 'false'], {
    cwd: root,
    env,
    limitSeconds: LIMIT_SECONDS,
  });
  if (result.ok) return;
  throw new SetupFailure(`the sources do not compile, \`tsc -p tsconfig.build.json\` ${result.how}`, {
    output: lastLines(result.output, 60),
    byHand:
      'mend the errors above, or go back to a commit that compiles (`git status` shows your changes), then run the command again.',
  });
}
