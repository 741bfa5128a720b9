import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BRIEF_LIMIT_BYTES, executorBrief as realExecutorBrief } from '../../harness/context/brief.js';
import { NOTES_LIMIT_BYTES } from '../../harness/context/notes.js';
import {
  DEMO_FEATURE_IDS,
  DEMO_SPEC_PATH,
  type DemoFeatureId,
  type DemoSession,
  demoFeatures,
  demoFiles,
  demoProgress,
} from '../../harness/standin/demo/content.js';
import { demoScenario } from '../../harness/standin/demo-scenario.js';
import {
  type Call,
  type ConversationOptions,
  converse,
  executorBrief,
  initializerBrief,
  TOOLS,
} from './demo-conversation.js';

const RED = 'F-002 is not verified. The step "Reload the page: …" failed: expected the card to be visible.';
const SESSIONS: DemoSession[] = ['initializer', ...DEMO_FEATURE_IDS];
const scenario = demoScenario();
let app: string;

beforeEach(() => {
  app = mkdtempSync(join(tmpdir(), 'demo-app-'));
  execFileSync('git', ['init', '--quiet', app]);
});
afterEach(() => rmSync(app, { recursive: true, force: true }));

function featureOf(id: DemoFeatureId) {
  const feature = demoFeatures().find(entry => entry.id === id);
  if (!feature) throw new Error(id);
  return feature;
}

/** The subject with which the script commits a feature. */
const SUBJECTS: Record<DemoFeatureId, string> = {
  'F-001': 'Let people add a card to a column',
  'F-002': 'Let people move a card to the next column',
  'F-003': 'Show only the cards with a searched word',
};

/** The brief of a session when all sessions before it went well. */
function briefOf(session: DemoSession): string {
  if (session === 'initializer') return initializerBrief(DEMO_SPEC_PATH);
  const before = DEMO_FEATURE_IDS.slice(0, DEMO_FEATURE_IDS.indexOf(session));
  return executorBrief({
    feature: featureOf(session),
    notes: demoProgress(before.at(-1) ?? 'initializer'),
    done: before.map(id => SUBJECTS[id]),
    total: DEMO_FEATURE_IDS.length,
  });
}

function play(session: DemoSession, options: Partial<ConversationOptions> = {}): Promise<Call[]> {
  const verdicts = session === 'F-002' ? [RED, null] : [null];
  return converse({ scenario, app, brief: briefOf(session), verdicts, ...options });
}

/** Lays the app out as it is before a session, without playing. */
async function playUpTo(session: DemoSession): Promise<void> {
  for (const earlier of SESSIONS.slice(0, SESSIONS.indexOf(session))) await play(earlier, { bash: checked });
}

const checked = () => 'check: ok\n';
const turnsOf = (calls: Call[]) => 1 + (calls.at(-1)?.turn ?? -1);
const read = (path: string) => readFileSync(join(app, path), 'utf8');

describe('the demo from first to last session', () => {
  test('the whole board is built in few turns, its own checks run by a real shell', async () => {
    const turns = [];
    for (const session of SESSIONS) turns.push(turnsOf(await play(session)));
    expect(turns).toEqual([4, 3, 5, 3]);
    const newest = new Map(
      SESSIONS.flatMap(session => demoFiles(session)).map(({ path, text }) => [path, text]),
    );
    for (const [path, text] of newest) expect(read(path), path).toBe(text);
  });

  test('several tools are called in one turn of every session', async () => {
    for (const session of SESSIONS) {
      const calls = await play(session, { bash: checked });
      expect(calls.filter(call => call.turn === 1).length, session).toBeGreaterThan(2);
    }
  });

  test('the initializer reads the spec named in its brief and ends with notes', async () => {
    const calls = await play('initializer');
    expect(calls[0]?.input).toEqual({ command: 'view', path: DEMO_SPEC_PATH });
    expect(calls.at(-1)).toMatchObject({
      name: 'finish_session',
      input: { outcome: 'done', progress: demoProgress('initializer') },
    });
  });

  test('F-002 forgets to save at first and is mended after the red reload', async () => {
    await playUpTo('F-002');
    await play('F-002', { bash: checked, killBefore: 3 });
    expect(read('server.mjs')).not.toBe(serverOf('F-002'));
    await play('F-002', { bash: checked });
    expect(read('server.mjs')).toBe(serverOf('F-002'));
  });

  test.each(SESSIONS.flatMap(session => [1, 2, 3, 4].map(turn => [session, turn] as const)))(
    '%s killed before turn %i plays through when it is started again',
    async (session, killBefore) => {
      await playUpTo(session);
      const whole = await play(session, { bash: checked });
      await play(session, { bash: checked, killBefore, verdicts: [RED, RED] }).catch(
        () => 'killed later than its end',
      );
      expect(await play(session, { bash: checked })).toEqual(whole);
    },
  );

  test('commit subjects and notes have the size that the harness takes', async () => {
    for (const id of DEMO_FEATURE_IDS) {
      await playUpTo(id);
      const { commitMessage = '', progress = '' } = (await play(id, { bash: checked })).at(-1)?.input ?? {};
      expect(commitMessage.split('\n')[0]).toBe(SUBJECTS[id]);
      expect(SUBJECTS[id].length).toBeLessThanOrEqual(50);
      expect(Buffer.byteLength(progress)).toBeLessThan(NOTES_LIMIT_BYTES / 3);
    }
  });
});

describe('what the script asks of a brief', () => {
  const brief = briefOf('F-002');
  const steps = featureOf('F-002').steps;
  const without = (text: string) => {
    if (!brief.includes(text)) throw new Error(`the test's brief has no "${text}"`);
    return brief.replace(text, '');
  };
  const swapped = brief.replace(`1. ${steps[0]}\n2. ${steps[1]}`, `1. ${steps[1]}\n2. ${steps[0]}`);

  test.each<[what: string, broken: string, reason: RegExp]>([
    ['the session', without('Session: 3, executor\n'), /no line "Session: <n>, executor"/],
    ['its feature', without('Feature: F-002\n'), /names no feature/],
    ['the steps', without('Steps:\n'), /no line "Steps:"/],
    ...steps.map(
      (step, index) => [`step ${index + 1}`, without(step), /lacks step/] as [string, string, RegExp],
    ),
    ['the order of the steps', swapped, /lacks step 1/],
    [
      'the history',
      without('[fact] No session has worked on it yet.'),
      /"History of F-002" of the brief is empty/,
    ],
    ['the heading of the history', without('## History of F-002\n'), /no section "History of F-002"/],
    ['the progress', without('[fact] 1 of 3 features pass.'), /"Progress" of the brief is empty/],
    ['the right count', brief.replace('1 of 3', '2 of 3'), /must say that 1 of 3 features pass/],
    [
      'the commits',
      brief.replace(/(## Recent commits\n)[^#]*/, '$1'),
      /"Recent commits" of the brief is empty/,
    ],
    ['the last commit', without(SUBJECTS['F-001']), /must say that 0 of 3 features pass/],
    [
      'the notes',
      without('## Notes from earlier sessions (claude-progress.txt)\n'),
      /no section "Notes from/,
    ],
    ['what the initializer wrote', without('- Start: '), /lack what initializer wrote/],
    ['what F-001 wrote', without('- F-001: '), /lack what F-001 wrote/],
  ])('a brief without %s is refused', async (_what, broken, reason) => {
    await playUpTo('F-002');
    await expect(play('F-002', { brief: broken })).rejects.toThrow(reason);
  });

  test('a brief of a feature that is not in the demo is refused', async () => {
    const strange = brief.replace('Feature: F-002', 'Feature: F-009');
    await expect(play('F-002', { brief: strange })).rejects.toThrow(
      /F-009; the demo knows F-001, F-002, F-003/,
    );
  });

  test.each([
    ['the kind of session', 'App spec: /app/app_spec.md', /no line "Session: <n>, initializer"/],
    ['the path of the spec', 'Session: 1, initializer', /no line "App spec:/],
    ['an absolute path', 'Session: 1, initializer\nApp spec: app_spec.md', /no line "App spec:/],
  ])('an initializer brief without %s is refused', async (_what, broken, reason) => {
    await expect(play('initializer', { brief: broken })).rejects.toThrow(reason);
  });

  test('the brief that the harness writes is taken, and fits', async () => {
    await playUpTo('F-003');
    const written = realExecutorBrief({
      session: 5,
      root: '/srv/app',
      branch: 'main',
      head: '0123456789abcdef',
      feature: { category: 'functional', passes: false, ...featureOf('F-003') },
      attempts: [],
      passed: 2,
      total: 3,
      setAside: [],
      log: [`1a2b3c4 ${SUBJECTS['F-002']}`, `2b3c4d5 ${SUBJECTS['F-001']}`, '3c4d5e6 Lay out the project'],
      topLevel: ['init.sh', 'public/'],
      notes: demoProgress('F-002'),
      last: null,
      repairs: [],
      broken: [],
      personSaid: [],
      personDid: [],
      limits: { turns: 200, minutes: 90 },
      app: { ok: true, baseUrl: 'http://127.0.0.1:4310', log: '/srv/app/.git/longhaul/app.log' },
    });
    expect(Buffer.byteLength(written)).toBeLessThan(BRIEF_LIMIT_BYTES);
    await play('F-003', { brief: written, bash: checked });
  });
});

describe('what the script asks of tools and results', () => {
  test.each(SESSIONS)('%s refuses an empty system prompt and every missing tool', async session => {
    await playUpTo(session);
    await expect(play(session, { system: ' ' })).rejects.toThrow('the system prompt is empty');
    for (const missing of TOOLS) {
      const tools = TOOLS.filter(name => name !== missing);
      await expect(play(session, { tools })).rejects.toThrow(`the tools lack ${missing}`);
    }
  });

  test('a spec of another app is not built', async () => {
    const brief = initializerBrief(join(import.meta.dirname, 'demo-conversation.ts'));
    await expect(play('initializer', { brief })).rejects.toThrow(
      /its title "The garden board" is not in the result/,
    );
  });

  test('a call that fails stops the script with the words of the result', async () => {
    const bash = () => 'Error: the shell is gone';
    await expect(play('initializer', { bash })).rejects.toThrow(/turn 1 failed: Error: the shell is gone/);
  });

  test('a check of the app that is not ok stops the script', async () => {
    const bash = () => '1 test failed';
    await expect(play('initializer', { bash })).rejects.toThrow(
      /should say "check: ok", but says: 1 test failed/,
    );
  });

  test('F-002 mends only what it knows: a red of another kind stops the script', async () => {
    await playUpTo('F-002');
    const verdicts = ['The app did not come up.'];
    await expect(play('F-002', { bash: checked, verdicts })).rejects.toThrow(
      /but says: The app did not come up/,
    );
  });

  test.each(DEMO_FEATURE_IDS)('%s has no answer to a verification that is red at the end', async id => {
    await playUpTo(id);
    const verdicts = id === 'F-002' ? [RED, RED] : ['red for a reason of its own'];
    await expect(play(id, { bash: checked, verdicts })).rejects.toThrow(
      /ends with turn \d, but turn \d was asked for/,
    );
  });
});

function serverOf(id: DemoFeatureId): string | undefined {
  return demoFiles(id).find(file => file.path === 'server.mjs')?.text;
}
