import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';

const DEMO = join(packageRoot, 'templates', 'demo');

test("the demo's stages become commits and from them the same files and patches again", () => {
  const folder = mkdtempSync(join(tmpdir(), 'demo-stages-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [repository, copy] = [join(folder, 'repository'), join(folder, 'demo')];
  cpSync(DEMO, copy, { recursive: true });
  const stages = (verb: string) =>
    execFileSync(process.execPath, [join(packageRoot, 'scripts', 'demo-stages.mjs'), verb, repository, copy]);
  const names = readdirSync(DEMO, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(DEMO.length));
  stages('unfold');
  for (const name of names.filter(each => !/\.(txt|md)$/.test(each))) writeFileSync(join(copy, name), '');
  stages('fold');
  expect(names.length).toBeGreaterThan(40);
  for (const name of names)
    expect(readFileSync(join(copy, name), 'utf8'), name).toBe(readFileSync(join(DEMO, name), 'utf8'));
});
