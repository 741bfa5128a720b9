import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot, packageVersion } from '../../harness/base/package-root.js';
import { type Ended, endOf } from '../support/rig.js';
import { runFolder } from '../support/run-folder.js';

const DEAD = 'http://127.0.0.1:9';
const MINUTES = { timeout: 240_000 };
const MOST_PACKED_BYTES = 400_000;

it(
  'the package holds what a run needs and little else, and works where it is installed',
  MINUTES,
  async () => {
    const folder = runFolder();
    const at = (name: string) => join(folder.root, name);
    const npm = (cwd: string, ...args: string[]) =>
      execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

    // The build is there; `prepack` would make it anew under the feet of other tests.
    const [packed] = JSON.parse(
      npm(packageRoot, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder.root),
    );
    const paths: string[] = packed.files.map((file: { path: string }) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'package.json', 'docs/operating.md', 'init.sh.tmpl'],
        ...['dist/main.js', 'dist/model/prices.json', 'prompts/system.md', 'prompts/tools/bash.md'],
        ...['templates/spec.md', 'templates/features.schema.json', 'templates/demo/spec.md'],
      ]),
    );
    expect(
      paths.filter(path => /\.map$|\.tsbuildinfo$|^(harness|test|scripts|node_modules)\//.test(path)),
    ).toEqual([]);
    expect(paths.filter(path => /(^|\/)\.|\.png$|\.tgz$/.test(path))).toEqual([]);
    expect(packed.size).toBeLessThan(MOST_PACKED_BYTES);

    mkdirSync(at('place'));
    writeInstall(at('place'), `file:../${packed.filename}`, packed.integrity);
    npm(at('place'), 'ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts');

    const env = { ...folder.env(DEAD), LONGHAUL_BROWSER: '' };
    const start = (...args: string[]) =>
      spawn(at('place/node_modules/.bin/longhaul'), args, { cwd: at('place'), env });
    const longhaul = (...args: string[]): Promise<Ended> => endOf(start(...args));

    expect(await longhaul('--version')).toMatchObject({ code: 0, output: `${packageVersion()}\n` });
    const doctor = await longhaul('doctor');
    expect(doctor.output).toMatch(/^ok {6}browser: .*Chrom/m);
    expect(doctor.code).toBe(0);
    expect(await longhaul('new', 'my app')).toMatchObject({
      code: 0,
      output: expect.stringContaining("then: longhaul run 'my app' --no-sandbox"),
    });
    expect(readFileSync(at('place/my app/spec.md'), 'utf8')).toContain('## Not wanted');
    expect(await longhaul('run', 'my app')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^longhaul: .*--no-sandbox\.\n$/),
    });

    // The demo up to its first proof: prompts, templates, prices, the stand-in, Playwright's runner and the browser.
    const demo = start('demo', '--dir', at('demo'));
    demo.stdout.on('data', (chunk: Buffer) => {
      if (/ passes, commit /.test(chunk.toString())) demo.kill('SIGTERM');
    });
    const { code, output } = await endOf(demo);
    expect(output).toMatch(/the start is accepted: \d+ features to build/);
    expect(output).toMatch(/^interrupted \(a person stopped it\): 1 of \d+ features pass/m);
    expect(code).toBe(130);
  },
);

/**
 * A project that depends on the package alone, with the versions that are locked here: npm then finds all in the cache
 * of the set-up and asks no registry what there is.
 */
function writeInstall(folder: string, resolved: string, integrity: string): void {
  const read = (name: string) => JSON.parse(readFileSync(join(packageRoot, name), 'utf8'));
  const { version, dependencies, engines, bin } = read('package.json');
  const locked = Object.entries<{ dev?: boolean }>(read('package-lock.json').packages);
  const needed = locked.filter(([path, { dev }]) => path !== '' && dev !== true);
  const project = { name: 'place', version: '1.0.0', dependencies: { longhaul: resolved } };
  const packages = {
    '': project,
    'node_modules/longhaul': { version, resolved, integrity, dependencies, engines, bin },
    ...Object.fromEntries(needed),
  };
  const lock = { ...project, lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}
