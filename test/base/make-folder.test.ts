import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../harness/base/make-folder.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'folder-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a folder', () => {
  it('is made with those above it, and making it again changes nothing', () => {
    const deep = join(root, 'a', 'b c', 'd');
    makeFolder(deep);
    makeFolder(deep);
    expect(statSync(deep).isDirectory()).toBe(true);
  });

  it('is refused below a file and where a link leads nowhere, and nothing is left of the way there', () => {
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'nowhere'), join(root, 'link'));
    expect(() => makeFolder(join(root, 'file', 'x'))).toThrow(/file is not a folder/);
    expect(() => makeFolder(join(root, 'link', 'x'))).toThrow(/cannot be made/);
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
    const tooLong = join(root, 'new', 'x'.repeat(300));
    expect(() => makeFolder(tooLong)).toThrow(/cannot be made: ENAMETOOLONG/);
    expect(existsSync(join(root, 'new'))).toBe(false);
  });

  // Node's own recursive way would never come back from here.
  it.runIf(process.platform === 'linux')('is refused below /proc', () => {
    expect(() => makeFolder('/proc/a/b')).toThrow(/\/proc\/a\/b cannot be made/);
  });
});
