import { describe, expect, it } from 'vitest';
import { featuresCommand } from '../../harness/commands/features.js';
import { columnsOf } from '../../harness/watch/columns.js';
import { executing } from '../support/records.js';
import { makeTempApp } from '../support/temp-app.js';
import { keptOutput, proveFirst, watchedApp } from './watched-app.js';

async function shown(dir: string, id: string | undefined, json = false): Promise<string> {
  const output = keptOutput(null);
  expect(await featuresCommand({ dir, id, json }, output.stream)).toBe(0);
  return output.text();
}

describe('`features`', () => {
  it('lists what the harness last committed, whatever lies on disk now', async () => {
    const { app, write } = await watchedApp();
    write('features.json', '[]');
    expect(await shown(app.root, undefined)).toBe(
      `0 of 3 features pass
 failing   F-001 What F-001 does
           1 session
 failing   F-002 What F-002 does
 failing   F-003 What F-003 does
`,
    );
    expect(JSON.parse(await shown(app.root, undefined, true))).toMatchObject({
      passed: 0,
      total: 3,
      setAside: 0,
      features: [{ id: 'F-001', state: 'failing', attempts: 1, blockedBy: [] }, {}, {}],
    });
  });

  it('has nothing to list before the start is accepted', async () => {
    const temp = await makeTempApp();
    const [run] = executing();
    if (run) temp.journal.append(run);
    try {
      expect(await shown(temp.app.root, undefined)).toBe('no features yet: the start is not accepted\n');
      await expect(featuresCommand({ dir: temp.app.root, id: 'F-001', json: false })).rejects.toMatchObject({
        exitCode: 2,
        message: 'There is no feature "F-001": the run has no features yet.',
      });
    } finally {
      temp.dispose();
    }
  });

  it('shows one with steps, history and evidence', async () => {
    const temp = await watchedApp();
    temp.append(proveFirst(temp));
    const text = await shown(temp.app.root, 'f-001');
    expect(text).toMatch(/^F-001 What F-001 does\n {2}failing, functional, 1 session\n/);
    expect(text).toContain('Steps\n  1. Open the start page\n  2. See F-001\n');
    expect(text).toMatch(
      /Attempts\n {2}session 2: .*turn limit, \$0\.00: it ended\n {4}green: 1 test green\.\n/,
    );
    expect(text).toContain(`tree: ${'t'.repeat(40)}`);
    expect(text).not.toContain('has changed since');
    for (const line of text.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(80);
    expect(JSON.parse(await shown(temp.app.root, 'F-001', true))).toMatchObject({
      id: 'F-001',
      steps: ['Open the start page', 'See F-001'],
      history: [{ session: 2, end: 'turn_limit', verdicts: [{ verdict: 'green' }] }],
      evidence: { intact: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  it.each([
    ['F-1', 'There is no feature "F-1"; did you mean F-001?'],
    ['F-01\x1b[2J', expect.stringMatching(/^There is no feature "F-01\\u001b\[2J"; /)],
    ['something', 'There is no feature "something"; there are F-001 to F-003.'],
  ])('refuses the id %j and names near ones', async (id, message) => {
    const { app } = await watchedApp();
    await expect(featuresCommand({ dir: app.root, id, json: false })).rejects.toMatchObject({
      exitCode: 2,
      message,
    });
  });
});
