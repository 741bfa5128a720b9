import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { startOf } from '../../harness/workspace/process-table.js';
import { type PagerRig, pagerRig, QUICK, REST } from './pager-rig.js';

/** A program in the rig's folder. */
function program(rig: PagerRig, script: string): string {
  const path = join(rig.folder, 'notify-me');
  writeFileSync(path, `#!/usr/bin/env bash\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The dead that nobody buried do not count. */
function alive(pidFile: string): boolean {
  return startOf(Number(readFileSync(pidFile, 'utf8'))) !== null;
}

describe('a page by a command', () => {
  it('has the text on its standard input, the facts in its environment, its arguments as they are, and no key', async () => {
    const rig = pagerRig();
    const path = program(rig, 'cat > text; env > env; printf "%s\\n" "$@" > args; pwd > cwd');
    await rig.pager({ command: [path, '--urgent', '$(touch bad); *'] }).page(REST);
    const read = (name: string) => readFileSync(join(rig.folder, name), 'utf8');
    expect(read('text')).toContain('To go on: longhaul resume /apps/board');
    const env = read('env');
    for (const line of [
      'LONGHAUL_TITLE=board: stuck, 0 of 3 features pass',
      'LONGHAUL_REASON=stuck',
      'LONGHAUL_FEATURE=F-003',
      'LONGHAUL_SESSIONS=2',
      'LONGHAUL_SPENT_USD=1.25',
      'LONGHAUL_BUDGET_USD=20',
      'LONGHAUL_NEXT=longhaul resume /apps/board',
      'LONGHAUL_PROJECT=board',
      'HOOK_CREDENTIAL=mine',
    ])
      expect(env.split('\n')).toContain(line);
    expect(env).toMatch(/^LONGHAUL_KEY=[0-9a-f]{16}$/m);
    expect(env).not.toContain('canary-key');
    expect(read('args')).toBe('--urgent\n$(touch bad); *\n');
    expect(existsSync(join(rig.folder, 'bad'))).toBe(false);
    expect(rig.pages().map(({ type }) => type)).toEqual(['page.intent', 'page.sent']);
  });

  it('that fails is tried again, and its last words are recorded without secrets', async () => {
    const rig = pagerRig();
    const path = program(rig, 'echo x >> tries; echo "login with canary-key-1234 failed" >&2; exit 3');
    await rig.pager({ command: [path] }).page(REST);
    expect(readFileSync(join(rig.folder, 'tries'), 'utf8')).toBe('x\n'.repeat(4));
    expect(rig.pages().at(-1)).toMatchObject({
      type: 'page.failed',
      channel: 'command',
      error: 'exit code 3: login with [removed] failed',
    });
  });

  it('that does not exist is tried once', async () => {
    const rig = pagerRig();
    await rig.pager({ command: ['no-such-program-of-ours'] }).page(REST);
    expect(rig.pages().at(-1)?.error).toContain('ENOENT');
    expect(rig.outbox()).toMatchObject([{ tries: { command: 1 } }]);
  });

  it('that never ends is killed with what it started', async () => {
    const rig = pagerRig();
    const path = program(rig, 'echo $$ > pid; trap "" TERM HUP; sleep 300 & echo $! > child; wait');
    const began = performance.now();
    await rig.pager({ command: [path] }).page(REST);
    expect(performance.now() - began).toBeLessThan(QUICK.totalMs + 1_000);
    await systemClock.sleep(100);
    expect(alive(join(rig.folder, 'pid'))).toBe(false);
    expect(alive(join(rig.folder, 'child'))).toBe(false);
    expect(rig.pages().at(-1)?.error).toContain('was killed');
  });

  it('that ends while something of it holds its output open is over', async () => {
    const rig = pagerRig();
    const path = program(rig, 'sleep 20 & echo $! > child; exit 0');
    const began = performance.now();
    await rig.pager({ command: [path] }).page(REST);
    expect(performance.now() - began).toBeLessThan(QUICK.totalMs);
    expect(rig.pages().at(-1)?.type).toBe('page.sent');
    process.kill(Number(readFileSync(join(rig.folder, 'child'), 'utf8')));
  });

  it('that floods and never reads is no trouble', async () => {
    const rig = pagerRig();
    const path = program(rig, 'exec <&-; head -c 3000000 /dev/zero | tr "\\0" x; exit 0');
    await rig.pager({ command: [path] }).page(REST);
    expect(rig.pages().at(-1)?.type).toBe('page.sent');
  });
});
