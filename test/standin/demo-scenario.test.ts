import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  DEMO_FEATURE_IDS,
  DEMO_SPEC_PATH,
  type DemoFeatureId,
  demoCommit,
  demoNote,
  demoStartNotes,
} from '../../harness/standin/demo/content.js';
import { notesAfter } from '../../harness/standin/demo/notes.js';
import { MENDED, PASSING_ORDER } from '../support/demo-app.js';
import { type Call, initializerBrief, TOOLS } from './demo-conversation.js';
import {
  app,
  briefOf,
  doneBefore,
  filesOf,
  git,
  layOut,
  makeStages,
  play,
  RED,
  stageOf,
} from './demo-stages.js';

makeStages();

const turnsOf = (calls: Call[]) => 1 + (calls.at(-1)?.turn ?? -1);

describe('the demo from first to last session', () => {
  test.each([
    ['initializer', 4],
    ['F-001', 3],
    ['F-002', 4],
    ['F-003', 4],
    ['F-004', 4],
    ['F-005', 5],
    ['F-006', 3],
    ['F-007', 3],
    ['F-008', 4],
    ['F-009', 3],
    ['F-010', 3],
  ] as const)('%s takes the app to its next stage in %i turns', async (session, turns) => {
    layOut(session);
    expect(turnsOf(await play(session))).toBe(turns);
    expect(filesOf(app)).toEqual(filesOf(stageOf(session)));
  });

  test('the initializer reads the spec named in its brief and ends with notes', async () => {
    layOut('initializer');
    const calls = await play('initializer');
    expect(calls[0]?.input).toEqual({ command: 'view', path: DEMO_SPEC_PATH });
    expect(calls.at(-1)).toMatchObject({
      name: 'finish_session',
      input: { outcome: 'done', progress: demoStartNotes() },
    });
  });

  test('the notes grow by a line for each feature, in the order of their passing', async () => {
    layOut('F-006');
    const { progress } = (await play('F-006')).at(-1)?.input ?? {};
    expect(progress).toBe(
      `${demoStartNotes()}${[...doneBefore('F-006'), 'F-006' as const].map(demoNote).join('\n')}\n`,
    );
  });

  test('F-006 is declined while no card has a day, and nothing is changed', async () => {
    layOut('F-007');
    const brief = briefOf('F-006', doneBefore('F-007'));
    const calls = await play('F-006', { brief });
    expect(turnsOf(calls)).toBe(2);
    expect(calls.at(-1)).toMatchObject({
      name: 'finish_session',
      input: { outcome: 'blocked', blockedBy: ['F-007'], progress: notesAfter(doneBefore('F-007')) },
    });
    expect(git(app, 'status', '--porcelain')).toBe('');
  });

  test('F-008 edits the list and goes on only when it was told', async () => {
    layOut('F-008');
    const edits = (await play('F-008')).filter(({ input }) => input.command?.includes('features.json'));
    expect(edits.map(({ turn }) => turn)).toEqual([1]);
    layOut('F-008');
    const bash = (command: string) =>
      command.startsWith('sed') ? '[no output, exit code 0, 0.0 s]' : 'wip\n[exit code 0, 0.0 s]';
    await expect(play('F-008', { bash })).rejects.toThrow(
      /should have been told "features.json was changed"/,
    );
  });

  test.each(DEMO_FEATURE_IDS)('the commit of %s says what changed for the user, shortly', id => {
    const { subject } = demoCommit(id);
    expect(subject).toMatch(/^[A-Z](?!.*F-\d)/);
    expect(subject.length).toBeLessThanOrEqual(50);
  });
});

/** What the harness does with the files of a session that was cut off. */
const LEFT: [string, (id: DemoFeatureId) => void][] = [
  ['put aside', () => git(app, 'reset', '--hard', '--quiet')],
  ['committed as wip', id => git(app, 'commit', '--quiet', '-m', `wip ${id} (not verified)`)],
];

describe.each(LEFT)('a session that is cut off, its files %s', (how, leave) => {
  const cuts = PASSING_ORDER.flatMap(id => {
    const last = MENDED.includes(id) ? 4 : 3;
    return (id === 'F-003' || id === 'F-004' ? [2, 3, last] : [last]).map(turn => [id, turn] as const);
  });

  test.each(cuts)('%s cut off before turn %i plays through when it is started again', async (id, turn) => {
    layOut(id);
    await play(id, { killBefore: turn, verdicts: [RED[id] ?? 'red', 'red'] }).catch(
      () => 'cut off at its end',
    );
    git(app, 'add', '-A');
    leave(id);
    const calls = await play(id);
    expect(filesOf(app)).toEqual(filesOf(stageOf(id)));
    const reverts = calls.filter(({ input }) => input.command?.startsWith('git revert'));
    expect(reverts).toHaveLength(how === 'put aside' ? 0 : 1);
  });
});

describe('what the script asks of tools and results', () => {
  test.each(['initializer', 'F-005'] as const)(
    '%s refuses an empty system prompt and every missing tool',
    async session => {
      layOut(session);
      await expect(play(session, { system: ' ' })).rejects.toThrow('the system prompt is empty');
      for (const missing of TOOLS) {
        const tools = TOOLS.filter(name => name !== missing);
        await expect(play(session, { tools })).rejects.toThrow(`the tools lack ${missing}`);
      }
    },
  );

  test('a spec of another app is not built', async () => {
    const brief = initializerBrief(join(import.meta.dirname, 'client.ts'));
    layOut('initializer');
    await expect(play('initializer', { brief })).rejects.toThrow(
      /its title "The garden board" is not in the result/,
    );
  });

  test.each([
    ['a call that fails', 'Error: the shell is gone', /turn 1 failed: Error: the shell is gone/],
    ['a command that fails', 'nothing here\n[exit code 128, 0.0 s]', /turn 1 failed: nothing here/],
  ])('%s stops the script with the words of the result', async (_what, text, reason) => {
    layOut('F-001');
    await expect(play('F-001', { bash: () => text })).rejects.toThrow(reason);
  });

  test('a check of the app that is not ok stops the script', async () => {
    layOut('F-001');
    const bash = () => '1 test failed\n[exit code 0, 0.1 s]';
    await expect(play('F-001', { bash })).rejects.toThrow(/should say "check: ok", but says: 1 test failed/);
  });

  test.each(MENDED)('%s mends only what it knows: a red of another kind stops the script', async id => {
    layOut(id);
    const verdicts = ['The app did not come up.'];
    await expect(play(id, { verdicts })).rejects.toThrow(/but says: The app did not come up/);
  });

  test.each(['F-001', 'F-003'] as const)(
    '%s has no answer to a verification that is red at the end',
    async id => {
      layOut(id);
      const verdicts = [RED[id] ?? [], 'red for a reason of its own'].flat();
      await expect(play(id, { verdicts })).rejects.toThrow(/ends with turn \d, but turn \d was asked for/);
    },
  );
});
