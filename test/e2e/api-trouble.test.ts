import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { standinModels } from '../../harness/standin/models.js';
import { error } from '../../harness/standin/scripted.js';
import { receiver } from '../pager/receiver.js';
import { runRig } from '../support/rig.js';
import { runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

const OWED_MS = 1_000;

it('a run that was killed while it waited as it was told asks for nothing before the time, also when it is started again (FC-005)', {
  timeout: 60_000,
}, async () => {
  const hook = await receiver('ok');
  const folder = runFolder();
  mkdirSync(join(folder.home, 'config', 'longhaul'), { recursive: true });
  writeFileSync(
    join(folder.home, 'config', 'longhaul', 'config.json'),
    JSON.stringify({ page: { webhook: hook.url } }),
  );
  const model = 'some-proxy-model-x';
  const standin = await standinFor(
    ({ count }) =>
      count === 1
        ? error(429, 'rate_limit_error', 'Slow down.', { 'retry-after': String(OWED_MS / 1_000) })
        : error(401, 'authentication_error', 'invalid x-api-key'),
    { models: [{ ...(standinModels[0] as (typeof standinModels)[number]), id: model }] },
  );
  const options = { flags: { model, budgetUsd: 5 } };
  const killed = await runRig(folder, standin.url, { killAt: 'journal:wait.begin#1', options });
  expect(killed.signal).toBe('SIGKILL');

  const { code, output } = await runRig(folder, standin.url, { options });
  const [first, second] = standin.requests.map(({ at }) => at) as [number, number];
  expect(standin.requests).toHaveLength(2);
  expect(second - first).toBeGreaterThanOrEqual(OWED_MS);
  // It says what it waits for, what it reckons with (FC-116), and, when a person must act, what the API said (FC-023).
  expect(output).toMatch(/waiting for the API \(rate limit: Slow down\.\)/);
  expect(output).toContain(`model ${model} (its price is not known, so it counts as the dearest: $15 for`);
  expect(output.trim().split('\n').at(-1)).toMatch(
    /^needs_person \(invalid x-api-key\): no features yet, 2 sessions/,
  );
  expect(code).toBe(6);
  expect(hook.bodies.map(body => JSON.parse(body))).toMatchObject([
    { reason: 'needs_person', text: expect.stringContaining('invalid x-api-key') },
  ]);
  expect(readFileSync(folder.journal, 'utf8')).not.toContain('sk-test-canary');
});
