import { describe, expect, test } from 'vitest';
import { BRIEF_LIMIT_BYTES, executorBrief as realExecutorBrief } from '../../harness/context/brief.js';
import { type DemoFeatureId, demoCommit, demoNote } from '../../harness/standin/demo/content.js';
import { notesAfter } from '../../harness/standin/demo/notes.js';
import { briefOf, doneBefore, featureOf, layOut, makeStages, play, TOTAL } from './demo-stages.js';

makeStages();

describe('what the script asks of a brief', () => {
  const brief = briefOf('F-005');
  const steps = featureOf('F-005').steps;
  const without = (text: string) => {
    if (!brief.includes(text)) throw new Error(`the test's brief has no "${text}"`);
    return brief.replace(text, '');
  };
  const swapped = brief.replace(`1. ${steps[0]}\n2. ${steps[1]}`, `1. ${steps[1]}\n2. ${steps[0]}`);
  const log = (...lines: string[]) =>
    brief.replace(/(## Recent commits\n)[^#]*/, `$1${lines.join('\n')}\n\n`);
  const line = (id: DemoFeatureId) => `[fact] 1a2b3c4 ${demoCommit(id).subject}`;

  test.each<[what: string, broken: string, reason: RegExp]>([
    ['the session', without('Session: 3, executor\n'), /no line "Session: <n>, executor"/],
    ['its feature', without('Feature: F-005\n'), /names no feature/],
    ['the steps', without('Steps:\n'), /no line "Steps:"/],
    ...steps.map(
      (step, index) => [`step ${index + 1}`, without(step), /lacks step/] as [string, string, RegExp],
    ),
    ['the order of the steps', swapped, /lacks step 1/],
    [
      'the history',
      without('[fact] No session has worked on it yet.'),
      /"History of F-005" of the brief is empty/,
    ],
    ['the heading of the history', without('## History of F-005\n'), /no section "History of F-005"/],
    ['the progress', without('[fact] 4 of 10 features pass.'), /"Progress" of the brief is empty/],
    ['the right count', brief.replace('4 of 10', '5 of 10'), /must say "\[fact\] 4 of 10 features pass\."/],
    ['the commits', log(), /"Recent commits" of the brief is empty/],
    [
      'an older commit while the first is in sight',
      without(`${line('F-002')}\n`),
      /must be those of F-001, F-002, F-003, F-004/,
    ],
    ['the last commit', log(line('F-003'), line('F-002')), /must be those of F-003, F-004/],
    ['a commit between others', log(line('F-004'), line('F-002')), /must be those of F-003, F-004/],
    ['any flip in a short log', log('[fact] 1a2b3c4 Tidy up'), /must have the commit of F-004 among them/],
    [
      'the notes',
      without('## Notes from earlier sessions (claude-progress.txt)\n'),
      /no section "Notes from/,
    ],
    ['what the initializer wrote', without('- Start: '), /lack this line: "- Start: /],
    ['what F-001 wrote', without('- F-001: '), /must say "\[fact\] 3 of 10/],
    ['all that F-001 wrote', without(demoNote('F-001').slice(20)), /lack this line: "- F-001: /],
  ])('a brief without %s is refused', async (_what, broken, reason) => {
    layOut('F-005');
    await expect(play('F-005', { brief: broken, killBefore: 1 })).rejects.toThrow(reason);
  });

  test.each([
    ['cut to its newest lines', log(line('F-004'), line('F-003'))],
    ['of a person beside the flips', log('[fact] 1a2b3c4 Tidy up', line('F-004'), line('F-003'))],
    [
      'full of unfinished work',
      log('[fact] 1a2b3c4 wip F-005 (not verified)', '[fact] 2b3c4d5 Notes of session 7'),
    ],
  ])('a log %s is taken', async (_what, taken) => {
    layOut('F-005');
    expect(await play('F-005', { brief: taken, killBefore: 1 })).toHaveLength(2);
  });

  test('a brief of a feature that is not in the demo is refused', async () => {
    const strange = brief.replace('Feature: F-005', 'Feature: F-011');
    await expect(play('F-005', { brief: strange })).rejects.toThrow(
      /F-011; the demo knows F-001, F-002, F-003/,
    );
  });

  test.each([
    ['the kind of session', 'App spec: /app/app_spec.md', /no line "Session: <n>, initializer"/],
    ['the path of the spec', 'Session: 1, initializer', /no line "App spec:/],
    ['an absolute path', 'Session: 1, initializer\nApp spec: app_spec.md', /no line "App spec:/],
  ])('an initializer brief without %s is refused', async (_what, broken, reason) => {
    await expect(play('initializer', { brief: broken })).rejects.toThrow(reason);
  });

  test('the brief that the harness writes for the last feature is taken, with all notes in it', async () => {
    const done = doneBefore('F-010');
    const written = realExecutorBrief({
      session: 12,
      root: '/srv/app',
      branch: 'main',
      head: '0123456789abcdef',
      feature: { category: 'functional', passes: false, ...featureOf('F-010') },
      attempts: [],
      passed: done.length,
      total: TOTAL,
      setAside: [],
      log: [
        ...done.toReversed().map(id => `1a2b3c4 ${demoCommit(id).subject}`),
        '3c4d5e6 Lay out the project',
      ],
      topLevel: ['init.sh', 'public/'],
      notes: notesAfter(done),
      last: null,
      repairs: [],
      broken: [],
      personSaid: [],
      personDid: [],
      limits: { turns: 200, minutes: 90 },
      app: { ok: true, baseUrl: 'http://127.0.0.1:4310', log: '/srv/app/.git/longhaul/app.log' },
    });
    expect(written).not.toContain('Lay out the project');
    expect(written).toContain(demoNote('F-009'));
    expect(Buffer.byteLength(written)).toBeLessThan(BRIEF_LIMIT_BYTES);
    layOut('F-010');
    await play('F-010', { brief: written });
  });
});
