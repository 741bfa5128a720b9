// `npm run pictures`: runs the demo on a terminal and makes the README's pictures from what came of it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { excerpt } from './pictures/excerpt.mjs';
import { onTerminal } from './pictures/on-terminal.mjs';
import { screenshotOfApp } from './pictures/screenshot-of-app.mjs';
import { terminalSvg } from './pictures/terminal-svg.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pictures = join(root, 'docs', 'pictures');
const COLUMNS = 100;
const ARGUMENTS = ['demo', '--crash', '--dir', 'board'];

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-pictures-')));
try {
  console.log('Running the demo …');
  const demo = [process.execPath, join(root, 'dist', 'main.js'), ...ARGUMENTS];
  const { code, text } = await onTerminal(demo, { cwd: folder, columns: COLUMNS });
  if (code !== 0) throw new Error(`the demo ended with exit code ${code}:\n${text}`);
  mkdirSync(pictures, { recursive: true });
  // The one change to what was printed: where the app lay on this machine is nobody's matter.
  const lines = text.replaceAll(folder, '~').trimEnd().split('\n');
  const shown = [`$ longhaul ${ARGUMENTS.join(' ')}`, ...excerpt(lines)];
  keep('run.svg', terminalSvg(shown, { columns: COLUMNS }), 150_000);
  keep('demo-app.png', await screenshotOfApp(join(folder, 'board')), 100_000);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function keep(name, content, mostBytes) {
  const path = join(pictures, name);
  writeFileSync(path, content);
  const { size } = statSync(path);
  if (size > mostBytes)
    throw new Error(`${name} has ${size} bytes; at most ${mostBytes} belong into a README.`);
  console.log(`docs/pictures/${name}: ${Math.ceil(size / 1000)} KB`);
}
