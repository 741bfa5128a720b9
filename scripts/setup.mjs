// Brings a checkout to where it can run: npm packages, build, browser. Plain JavaScript, since no package is there yet.

// This file keeps to syntax that old versions of Node can parse, so that they get the sentence and not a SyntaxError.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [oldestMajor, oldestMinor] = /(\d+)\.(\d+)/.exec(engines.node).slice(1).map(Number);
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  console.error(
    `Longhaul needs Node ${oldestMajor}.${oldestMinor} or newer and this is Node ${process.versions.node}. ` +
      'Install a newer one from https://nodejs.org or with a version manager and run the command again.',
  );
  process.exitCode = 1;
} else {
  import('./setup/set-up.mjs').then(({ setUp }) => setUp(process.argv.slice(2)));
}
