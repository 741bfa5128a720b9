import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';
import { ObjectReader } from '../../harness/workspace/object-reader.js';
import { makeTempApp, type TempApp } from '../support/temp-app.js';

let temp: TempApp;
let reader: ObjectReader;
beforeEach(async () => {
  temp = await makeTempApp();
  reader = new ObjectReader(temp.app.root, { PATH: process.env.PATH ?? '' }, []);
});
afterEach(() => temp.dispose());

function commit(files: Record<string, string | Buffer>): string {
  for (const [path, content] of Object.entries(files)) writeFileSync(join(temp.app.root, path), content);
  temp.git('add', '-A');
  temp.git('commit', '-qm', 'x');
  return temp.git('rev-parse', 'HEAD');
}

describe('objects of a repository', () => {
  it('are read byte for byte, of any size, also many at once, and each question gets its own answer', async () => {
    const files: Record<string, Buffer> = {
      empty: Buffer.alloc(0),
      'line feeds': Buffer.from('\n\n\n'),
      'looks like an answer': Buffer.from(`${'a'.repeat(40)} blob 5\nabcde\nx missing\n`),
      large: randomBytes(3 * 2 ** 20),
      'ü,1': Buffer.from('ü'),
    };
    const head = commit(files);
    const names = [...Object.keys(files), 'not there', ...Object.keys(files)];
    const read = await Promise.all(names.map(name => reader.read(`${head}:${name}`)));
    for (const [index, name] of names.entries())
      expect(read[index]?.content.equals(files[name] ?? Buffer.from('?'))).toBe(
        name in files ? true : undefined,
      );
    expect(await reader.read('HEAD^{commit}')).toMatchObject({ id: head, type: 'commit' });
    expect(await reader.read('HEAD^{tree}')).toMatchObject({ type: 'tree' });
  });

  it('are those of now: commits made after the reader was opened, refs that moved, a branch that was born', async () => {
    expect(await reader.read('HEAD^{commit}')).toBeNull();
    const first = commit({ a: '1' });
    expect((await reader.read('HEAD^{commit}'))?.id).toBe(first);
    const second = commit({ a: '2' });
    temp.git('gc', '-q');
    expect((await reader.read('HEAD:a'))?.content.toString()).toBe('2');
    temp.git('reset', '-q', '--hard', first);
    expect((await reader.read('HEAD^{commit}'))?.id).toBe(first);
    expect((await reader.read(`${second}:a`))?.content.toString()).toBe('2');
  });

  it('are not there for a name that is none', async () => {
    commit({ a: '1' });
    for (const name of ['HEAD:a\nHEAD', '', 'HEAD^{commit} HEAD', 'nope', '-x', 'HEAD:a\0'])
      expect(await reader.read(name)).toBeNull();
    expect((await reader.read('HEAD:a'))?.content.toString()).toBe('1');
  });

  it('are read again after git was killed, and the question on the way gets an error', async () => {
    commit({ a: '1' });
    await reader.read('HEAD');
    const [pid] = execFileSync('pgrep', ['-n', '-P', String(process.pid), '-f', 'cat-file --batch'])
      .toString()
      .split('\n');
    process.kill(Number(pid), 'SIGSTOP');
    const asked = reader.read('HEAD:a');
    process.kill(Number(pid), 'SIGKILL');
    await expect(asked).rejects.toMatchObject({ code: 'git', message: expect.stringContaining('SIGKILL') });
    expect((await reader.read('HEAD:a'))?.content.toString()).toBe('1');
  });

  it('outside a repository the error is what git says', async () => {
    const other = new ObjectReader(join(temp.app.root, '..'), { PATH: process.env.PATH ?? '' }, []);
    await expect(other.read('HEAD')).rejects.toMatchObject({
      message: expect.stringContaining('not a git repository'),
    });
  });
});

it('an open reader does not keep its process alive', () => {
  const script = `
    const { ObjectReader } = await import(${JSON.stringify(join(packageRoot, 'dist/workspace/object-reader.js'))});
    const reader = new ObjectReader(${JSON.stringify(temp.app.root)}, { PATH: process.env.PATH }, []);
    console.log(await reader.read('HEAD^{commit}'));
  `;
  expect(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 }).toString(),
  ).toBe('null\n');
});
