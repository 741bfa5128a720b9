import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../harness/base/package-root.js';

const TEMPLATE = join(packageRoot, 'init.sh.tmpl');
const DEMO = join(packageRoot, 'templates', 'demo', 'initializer', 'init.sh');
const VERBS = ['setup', 'start', 'smoke', 'reset', 'check'];

const bash = (...args: string[]) => spawnSync('bash', args, { encoding: 'utf8' });

/** The part of a script that chooses the verb. */
const dispatch = (path: string) => /^case [\s\S]*^esac$/m.exec(readFileSync(path, 'utf8'))?.[0];

describe('init.sh.tmpl', () => {
  test.each(VERBS)('the verb %s says that it is to be written, and fails', verb => {
    const { status, stderr } = bash(TEMPLATE, verb);
    expect({ status, stderr }).toEqual({ status: 1, stderr: `init.sh: ${verb} is not written yet\n` });
  });

  test('without a verb a setup that fails is not followed by start', () => {
    expect(bash(TEMPLATE).stderr).toBe('init.sh: setup is not written yet\n');
  });

  test.each(['15 minutes', '120 seconds', '30 seconds', '2 seconds'])('names the deadline %s', deadline => {
    expect(readFileSync(TEMPLATE, 'utf8')).toContain(deadline);
  });

  test("the demo's init.sh chooses its verbs as the template does", () => {
    expect(dispatch(DEMO)).toBe(dispatch(TEMPLATE));
  });
});

describe.each([
  ['init.sh.tmpl', TEMPLATE],
  ["the demo's init.sh", DEMO],
])('%s', (_name, path) => {
  test('answers an unknown verb with a sentence and 2', () => {
    const { status, stderr } = bash(path, 'begin');
    expect(status).toBe(2);
    expect(stderr).toBe(
      "init.sh: there is no verb 'begin'; use setup, start, smoke, reset or check, or none for setup and start\n",
    );
  });
});
