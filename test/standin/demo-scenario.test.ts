import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BRIEF_LIMIT_BYTES, executorBrief as realExecutorBrief } from '../../harness/context/brief.js';
import {
  DEMO_FEATURE_IDS,
  DEMO_SPEC_PATH,
  type DemoFeatureId,
  type DemoSession,
  demoCommit,
  demoFeatures,
  demoNote,
  demoStartNotes,
} from '../../harness/standin/demo/content.js';
import { notesAfter } from '../../harness/standin/demo/notes.js';
import { demoScenario } from '../../harness/standin/demo-scenario.js';
import { MENDED, PASSING_ORDER, writeDemoApp } from '../support/demo-app.js';
import {
  type Call,
  type ConversationOptions,
  converse,
  executorBrief,
  initializerBrief,
  TOOLS,
} from './demo-conversation.js';

const RED: Partial<Record<DemoSession, string>> = {
  'F-002': 'F-002 is not verified. The spec of F-002 is green on an empty page too, so it proves nothing.',
  'F-003': 'F-003 is not verified. The step "Reload the page: …" failed: expected the card to be visible.',
};
const SESSIONS: DemoSession[] = ['initializer', ...PASSING_ORDER];
const TOTAL = DEMO_FEATURE_IDS.length;
const scenario = demoScenario();
let folder: string;
let app: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-stages-'));
  for (const session of ['empty', ...SESSIONS] as const) {
    const stage = join(folder, session);
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', stage]);
    if (session === 'empty') continue;
    writeDemoApp(stage, session);
    for (const [name, value] of [
      ['user.name', 'Tester'],
      ['user.email', 'tester@example.org'],
    ] as const)
      git(stage, 'config', name, value);
    git(stage, 'add', '-A');
    git(stage, 'commit', '--quiet', '-m', 'A stage');
  }
});
beforeEach(() => {
  app = join(folder, 'app');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
}

/** The app as it is before a session. */
function layOut(session: DemoSession): void {
  rmSync(app, { recursive: true, force: true });
  const before = session === 'initializer' ? 'empty' : (SESSIONS[SESSIONS.indexOf(session) - 1] ?? 'empty');
  cpSync(join(folder, before), app, { recursive: true });
}

function doneBefore(session: DemoFeatureId): DemoFeatureId[] {
  return PASSING_ORDER.slice(0, PASSING_ORDER.indexOf(session));
}

function featureOf(id: DemoFeatureId) {
  const feature = demoFeatures().find(entry => entry.id === id);
  if (!feature) throw new Error(id);
  return feature;
}

/** The brief of a session when all sessions before it went well. */
function briefOf(session: DemoSession, done?: DemoFeatureId[]): string {
  if (session === 'initializer') return initializerBrief(DEMO_SPEC_PATH);
  const before = done ?? doneBefore(session);
  return executorBrief({
    feature: featureOf(session),
    notes: notesAfter(before),
    done: before.map(id => demoCommit(id).subject),
    total: TOTAL,
  });
}

function play(session: DemoSession, options: Partial<ConversationOptions> = {}): Promise<Call[]> {
  const verdicts = [RED[session] ?? [], null].flat();
  return converse({ scenario, app, brief: briefOf(session), verdicts, ...options });
}

/** Every file of the app but the notes, which the harness writes. */
function filesOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && !join(entry.parentPath, entry.name).includes('/.git/'),
  );
  return Object.fromEntries(
    names
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter(path => !path.endsWith('claude-progress.txt'))
      .sort()
      .map(path => [path.slice(root.length), readFileSync(path, 'utf8')]),
  );
}

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
    expect(filesOf(app)).toEqual(filesOf(join(folder, session)));
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
    expect(filesOf(app)).toEqual(filesOf(join(folder, id)));
    const reverts = calls.filter(({ input }) => input.command?.startsWith('git revert'));
    expect(reverts).toHaveLength(how === 'put aside' ? 0 : 1);
  });
});

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
