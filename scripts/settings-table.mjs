// Writes the table of settings into README.md from the one source, harness/config/settings.ts (built). `--check` only compares.

import { readFileSync, writeFileSync } from 'node:fs';
import { flagOf } from '../dist/config/flag-of.js';
import { SETTINGS } from '../dist/config/settings.js';

const README = new URL('../README.md', import.meta.url);
const BEGIN = '<!-- settings: made by `npm run docs` from harness/config/settings.ts -->\n';
const END = '<!-- /settings -->';

const rows = Object.entries(SETTINGS).map(([name, setting]) => {
  const range = setting.type === 'string' ? '' : `, ${setting.min} to ${setting.max}`;
  return `| \`--${flagOf(name)}\` | \`${name}\` | ${setting.default} | ${setting.text}${range}${setting.harmless ? ' (*app*)' : ''} |`;
});
const table = ['| flag | key | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n');

const text = readFileSync(README, 'utf8');
const [before, rest] = text.split(BEGIN);
const after = rest.slice(rest.indexOf(END));
const wanted = `${before}${BEGIN}${table}${after}`;
if (process.argv.includes('--check')) {
  if (wanted !== text) {
    console.error(
      'README.md: the table of settings is not that of harness/config/settings.ts; run `npm run docs`.',
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(README, wanted);
}
