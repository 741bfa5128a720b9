// The demo's stages as commits, to change one and have the later ones follow:
//   node scripts/demo-stages.mjs unfold DIR   makes a repository of them in DIR; edit it with git rebase --interactive
//   node scripts/demo-stages.mjs fold DIR     writes templates/demo again from its commits
// A third argument names another folder than templates/demo.

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** F-006 waits for F-007. */
const ORDER = [1, 2, 3, 4, 5, 7, 6, 8, 9, 10].map(number => `F-${String(number).padStart(3, '0')}`);
const NOT_OF_THE_APP = /^(.*\.patch|note\.txt|commit\.txt|claude-progress\.txt)$/;

const HERE = dirname(fileURLToPath(import.meta.url));
const [verb, repository, DEMO = join(HERE, '..', 'templates', 'demo')] = process.argv.slice(2);
if (!['unfold', 'fold'].includes(verb) || !repository) {
  console.error('demo-stages: say unfold DIR or fold DIR');
  process.exit(2);
}
/** These commits are thrown away, so nobody need be known to git. */
const AS_NOBODY = ['-c', 'user.name=Stages', '-c', 'user.email=stages@example.org'];
const git = args => execFileSync('git', [...AS_NOBODY, ...args], { cwd: repository, encoding: 'utf8' });

if (verb === 'unfold') unfold();
else fold();

function unfold() {
  if (existsSync(repository) && readdirSync(repository).length > 0)
    throw new Error(`${repository} is not empty`);
  mkdirSync(repository, { recursive: true });
  git(['init', '--quiet', '--initial-branch=main']);
  copyWhole('initializer');
  commit('initializer');
  for (const id of ORDER) {
    for (const name of ['change', 'mend']) {
      const patch = join(DEMO, id, `${name}.patch`);
      if (!existsSync(patch)) continue;
      git(['apply', patch]);
      if (name === 'change') copyWhole(id);
      commit(`${id} ${name}`);
    }
  }
}

function fold() {
  for (const line of git(['log', '--reverse', '--format=%H %s']).trim().split('\n')) {
    const [hash, stage, name] = line.split(' ');
    const whole = wholeFiles(stage).map(appPath);
    if (name !== 'mend') for (const path of whole) take(hash, stage, path);
    if (name === undefined) continue;
    const apart = name === 'mend' ? [] : whole.map(path => `:!${path}`);
    const diff = git([
      'diff',
      '--no-color',
      '--no-ext-diff',
      '--no-renames',
      `${hash}~1`,
      hash,
      '--',
      '.',
      ...apart,
    ]);
    writeFileSync(join(DEMO, stage, `${name}.patch`), diff.replace(/^index [0-9a-f]+\.\..*\n/gm, ''));
  }
}

/** What a session writes whole; a new file of the first commit or of a feature is added here by hand, once. */
function wholeFiles(stage) {
  const folder = join(DEMO, stage);
  return readdirSync(folder, { recursive: true })
    .filter(path => !NOT_OF_THE_APP.test(path) && statSync(join(folder, path)).isFile())
    .sort();
}

function copyWhole(stage) {
  for (const path of wholeFiles(stage)) cpSync(join(DEMO, stage, path), join(repository, appPath(path)));
}

function take(hash, stage, path) {
  const target = join(DEMO, stage, path === '.gitignore' ? 'gitignore' : path);
  writeFileSync(target, git(['show', `${hash}:${path}`]));
  if (path === 'init.sh') chmodSync(target, 0o755);
}

function commit(subject) {
  git(['add', '--all']);
  git(['commit', '--quiet', '--message', subject]);
}

function appPath(path) {
  return path === 'gitignore' ? '.gitignore' : path;
}
