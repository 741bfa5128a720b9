// What the runner finds in its work folder.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_FILE, makeSpecFolder } from '../../harness/browser/spec-folder.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spec-folder-'));
  write('F-001.spec.ts', 'test');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, 'e2e', name)), { recursive: true });
  writeFileSync(join(folder, 'e2e', name), content);
}

function make(files: string[] = ['F-001.spec.ts']) {
  return makeSpecFolder({
    workFolder: join(folder, 'work'),
    e2eFolder: join(folder, 'e2e'),
    files,
    baseUrl: 'http://127.0.0.1:1',
    executablePath: '/usr/bin/chromium',
    limits: { testMs: 1, expectMs: 2, actionMs: 3, navigationMs: 4, totalMs: 5 },
  });
}

const copied = (name: string) => existsSync(join(folder, 'work', 'e2e', name));

describe('the work folder of a spec run', () => {
  it('holds specs, helpers and fixtures, but nothing that would change how they are run', () => {
    const taken = ['helpers/board.ts', 'data/picture.png', 'data/cards.json'];
    const left = [
      'node_modules/@playwright/test/index.js',
      'helpers/node_modules/x/index.js',
      'package.json',
      'helpers/package.json',
      'tsconfig.json',
      'tsconfig.base.json',
      'jsconfig.json',
      'playwright.config.ts',
      '.env',
      '.babelrc',
    ];
    for (const name of [...taken, ...left]) write(name, 'x');
    expect(make().ok).toBe(true);
    expect(taken.filter(copied)).toEqual(taken);
    expect(left.filter(copied)).toEqual([]);
  });

  it('holds no link, wherever it leads', () => {
    writeFileSync(join(folder, 'outside'), 'secret');
    symlinkSync(join(folder, 'outside'), join(folder, 'e2e', 'file-link'));
    symlinkSync(folder, join(folder, 'e2e', 'folder-link'));
    symlinkSync('F-001.spec.ts', join(folder, 'e2e', 'inner.spec.ts'));
    expect(make().ok).toBe(true);
    expect(['file-link', 'folder-link', 'inner.spec.ts'].filter(copied)).toEqual([]);
    rmSync(join(folder, 'work'), { recursive: true });
    expect(make(['inner.spec.ts'])).toMatchObject({
      ok: false,
      problem: expect.stringContaining('is a link'),
    });
  });

  it('is refused when there is more than a spec folder should hold', () => {
    write('large.bin', Buffer.alloc(21 * 1024 * 1024));
    expect(make()).toMatchObject({
      ok: false,
      problem: expect.stringContaining('more than 500 files or 20 MB'),
    });
    rmSync(join(folder, 'work'), { recursive: true });
    rmSync(join(folder, 'e2e', 'large.bin'));
    for (let index = 0; index < 501; index++) write(`many/${index}`, '');
    expect(make()).toMatchObject({
      ok: false,
      problem: expect.stringContaining('more than 500 files or 20 MB'),
    });
  });

  it('is refused when e2e itself is a link', () => {
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere', 'F-001.spec.ts'), 'secret');
    rmSync(join(folder, 'e2e'), { recursive: true });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'e2e'));
    expect(make()).toMatchObject({ ok: false, problem: expect.stringContaining('e2e/ is a link') });
  });

  it('is refused without an e2e folder', () => {
    rmSync(join(folder, 'e2e'), { recursive: true });
    expect(make()).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^e2e\/ could not be read \(ENOENT\)/),
    });
  });

  it('must be empty before', () => {
    make();
    expect(() => make()).toThrow('must be empty');
  });

  it('has a configuration that runs the named files only, whatever their names mean in a pattern', async () => {
    write('F-1+(a).spec.ts', 'test');
    const made = make(['F-1+(a).spec.ts']);
    if (!made.ok) throw new Error(made.problem);
    const { default: config } = await import(join(made.workFolder, CONFIG_FILE));
    const [pattern] = config.testMatch;
    expect(config.testMatch).toHaveLength(1);
    expect(pattern.test(join(made.workFolder, 'e2e', 'F-1+(a).spec.ts'))).toBe(true);
    expect(pattern.test(join(made.workFolder, 'e2e', 'F-11a.spec.ts'))).toBe(false);
    expect(config).toMatchObject({
      retries: 0,
      workers: 1,
      forbidOnly: true,
      timeout: 1,
      expect: { timeout: 2 },
    });
    expect(config.use).toMatchObject({
      actionTimeout: 3,
      navigationTimeout: 4,
      baseURL: 'http://127.0.0.1:1',
    });
    const ours = readFileSync(join(made.workFolder, 'node_modules/@playwright/test/index.js'), 'utf8');
    expect(ours).toMatch(/^module\.exports = require\(".*\/playwright\/test\.js"\);\n$/);
  });
});
