import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/test-room.js';
import { casePath, testShell } from '../support/test-shell.js';

/** What a flood may cost the whole process at most. */
const MEMORY = 100_000_000;

test('a flood of 100 MB costs little memory: head, last line, code and the number of bytes are there', async () => {
  const { run } = testShell();
  const before = process.memoryUsage().rss;
  const { output, code } = await run(`${casePath('FC-031-flood.sh')} 100000000`);
  expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY);
  expect(code).toBe(7);
  expect(output.length).toBeLessThanOrEqual(20_000);
  expect(output).toMatch(/^a line of output that a build/);
  expect(output).toMatch(/FC031-LAST-LINE exit soon\n$/);
  const [, omitted = '', path = ''] =
    /\[… ([\d,]+) bytes left out here; the first 4,000,000 bytes of the output are in (.+) …\]/.exec(
      output,
    ) ?? [];
  expect(Number(omitted.replaceAll(',', ''))).toBeGreaterThan(100_000_000 - 20_000);
  expect(statSync(path).size).toBe(4_000_000);
});

test('one line of 50 MB is cut inside the line', async () => {
  const { run } = testShell();
  const before = process.memoryUsage().rss;
  const { output, code } = await run(casePath('FC-032-one-long-line.sh'));
  expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY);
  expect(code).toBe(0);
  expect(output.length).toBeLessThanOrEqual(20_000);
  expect(output).toMatch(/^z+\n\[… [\d,]+ bytes left out here; .+ …\]\nz+$/);
});

test('a cut splits no character', async () => {
  const { run } = testShell();
  const { output } = await run(casePath('FC-022-emoji-boundary.sh'), { maxCharacters: 5_001 });
  expect(output).toMatch(/^x🦀+\n\[… [\d,]+ bytes left out here; the whole output is in .+ …\]\n🦀+\n$/u);
});

test('NUL and other bytes that no request body may hold are made visible', async () => {
  const { run } = testShell();
  const { output } = await run(`cat ${casePath('FC-034-nul-bytes.bin')}`);
  expect(output).toContain('␀');
  expect(output).toContain('FC034-END');
  expect(output).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
});

test('the rest of a long output is in a file that later commands can read; old ones go', async () => {
  const { run, room } = testShell();
  const long = 'seq 1 20000';
  const { output } = await run(long, { maxCharacters: 1_000 });
  const path = /is in (.+) …\]/.exec(output)?.[1] ?? '';
  expect(readFileSync(path, 'utf8')).toMatch(/^1\n2\n3\n/);
  expect((await run(`sed -n 10000p ${path}`)).output).toBe('10000\n');
  expect(existsSync(join(room.scratch, 'shell', 'output-2.txt'))).toBe(false);
  for (let call = 0; call < 20; call++) await run(':');
  expect(existsSync(path)).toBe(false);
});

test('what a background process printed meanwhile is short, however much it was', async () => {
  const { run, app } = testShell();
  await run('{ until [ -e go ]; do sleep 0.02; done; seq 1 200000; touch printed; } &');
  writeFileSync(join(app, 'go'), '');
  await until(() => existsSync(join(app, 'printed')));
  const { background } = await run(':');
  expect(background).toMatch(/bytes left out here …\]\n(\d+\n)+$/);
  expect(background).toContain('\n200000\n');
  expect(background.length).toBeLessThanOrEqual(1_500);
});
