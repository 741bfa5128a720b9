import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';

const part = (name: string) => import(pathToFileURL(join(packageRoot, 'scripts/pictures', name)).href);
const { excerpt }: { excerpt(lines: string[]): string[] } = await part('excerpt.mjs');
const { terminalSvg }: { terminalSvg(lines: string[], options: { columns: number }): string } =
  await part('terminal-svg.mjs');

const calls = (amount: number) =>
  Array.from({ length: amount }, (_, index) => `  \x1b[32mok  0.${index} s\x1b[39m call ${index}`);

describe('the excerpt of a run', () => {
  it('shows start, first red proof, crash and end, and counts what it leaves out', () => {
    const run = [
      ...['the first line', '', 'session 1', ...calls(6), 'accepted', ''],
      ...['session 2', 'verification green', '', 'session 3', ...calls(3), 'verification red', ''],
      ...['session 4', 'verification red', '', 'session 5', 'killed the run (SIGKILL)', 'going on', ''],
      ...['session 6', '', 'session 7', '', 'done: all', '', 'what was seen'],
    ];
    expect(excerpt(run).map(line => line.replaceAll(/\x1b\[\d+m/g, ''))).toEqual([
      ...[
        'the first line',
        '',
        'session 1',
        '  ok  0.0 s call 0',
        '  ⋮ 4 more calls',
        '  ok  0.5 s call 5',
        'accepted',
        '',
      ],
      ...['  ⋮ 1 more session', ''],
      ...[
        'session 3',
        '  ok  0.0 s call 0',
        '  ok  0.1 s call 1',
        '  ok  0.2 s call 2',
        'verification red',
        '',
      ],
      ...['  ⋮ 1 more session', '', 'session 5', 'killed the run (SIGKILL)', 'going on', ''],
      ...['  ⋮ 2 more sessions', '', 'done: all', '', 'what was seen'],
    ]);
  });

  it('of a short run is the run', () => {
    const run = ['the first line', '', 'session 1', ...calls(2), '', 'done: all'];
    expect(excerpt(run)).toEqual(run);
  });
});

describe('the picture of a terminal', () => {
  it('has every word in its place and colour, and goes on in the next row where the terminal ends', () => {
    const svg = terminalSvg(['\x1b[31ma <b>\x1b[39m  \x1b[1mcd\x1b[22m', '0123456789ab'], { columns: 10 });
    const texts = [
      ...svg.matchAll(
        /<text x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)" fill="(#\w+)"([^>]*)>(.*)<\/text>/g,
      ),
    ];
    expect(texts.map(([, x, y, length, , weight, text]) => [x, y, length, weight, text])).toEqual([
      ['18', '65', '39', '', 'a &lt;b&gt;'],
      ['72.6', '65', '15.6', ' font-weight="bold"', 'cd'],
      ['18', '84', '78', '', '0123456789'],
      ['18', '103', '15.6', '', 'ab'],
    ]);
    expect(texts[0]?.[4]).not.toBe(texts[1]?.[4]);
    expect(svg).not.toContain('\x1b');
  });
});
