import { describe, expect, it } from 'vitest';
import { BRIEF_LIMIT_BYTES, executorBrief, initializerBrief } from '../../harness/context/brief.js';
import { notesProblem } from '../../harness/context/notes.js';
import { fillPlaces, loadPrompt } from '../../harness/context/prompts.js';

type Facts = Parameters<typeof executorBrief>[0];

const FACTS: Facts = {
  session: 7,
  root: '/srv/app',
  branch: 'main',
  head: 'abcdef0123',
  feature: {
    id: 'F-002',
    category: 'functional',
    description: 'A card can be moved',
    steps: ['Open the board', 'Move the card', 'See it in "Doing"'],
    passes: false,
  },
  attempts: [],
  passed: 1,
  total: 3,
  setAside: [],
  log: ['abcdef0 Add cards'],
  topLevel: ['e2e/', 'server.mjs'],
  notes: 'The store is in store.mjs.',
  last: null,
  repairs: [],
  broken: [],
  personSaid: [],
  personDid: [],
  limits: { turns: 200, minutes: 90 },
  app: { ok: true, baseUrl: 'http://127.0.0.1:4000', log: '/srv/app/.git/longhaul/app.log' },
};

describe('the brief of an executor', () => {
  it('names the session, the feature and its steps in order', () => {
    const brief = executorBrief(FACTS);
    expect(brief).toMatch(
      /^Session: 7, executor\nFeature: F-002\nCategory: functional\nDescription: A card can be moved\nSteps:\n1\. Open the board\n2\. Move the card\n3\. See it in "Doing"\n/,
    );
  });

  it('tells what was tried before and how it failed', () => {
    const brief = executorBrief({
      ...FACTS,
      attempts: [
        {
          session: 5,
          end: 'turn_limit',
          outcome: 'blocked',
          summary: 'Drag and drop is half done.',
          verdicts: [{ verdict: 'red', summary: 'Red in step "Move the card": timeout' }],
          salvage: 'refs/longhaul/salvage/5',
        },
      ],
    });
    const history = brief.slice(brief.indexOf('## History of F-002'), brief.indexOf('## Progress'));
    expect(history).toContain('[fact] Session 5 ended: it said that it is blocked.');
    expect(history).toContain('verification red: Red in step "Move the card": timeout');
    expect(history).toContain('[unverified] it said: Drag and drop is half done.');
    expect(history).toContain('refs/longhaul/salvage/5');
  });

  it('marks the notes as unverified and everything else as fact', () => {
    const brief = executorBrief(FACTS);
    expect(brief).toContain(
      '[unverified] These are the words of earlier sessions, not facts:\nThe store is in store.mjs.',
    );
    expect(brief).toContain('[fact] 1 of 3 features pass.');
    expect(brief).toContain('[fact] abcdef0 Add cards');
  });

  it('says first of all that the app does not come up', () => {
    const brief = executorBrief({
      ...FACTS,
      app: { ok: false, problem: 'init.sh start ended at once (exit code 1)' },
    });
    expect(brief).toContain('It does not come up, so mend that first: init.sh start ended at once');
  });

  it('puts what is broken before the history', () => {
    const brief = executorBrief({ ...FACTS, broken: ['F-001 passed before and is red now: timeout'] });
    expect(brief.indexOf('## Broken: mend this first\n[fact] F-001 passed before')).toBeGreaterThan(0);
    expect(brief.indexOf('## Broken')).toBeLessThan(brief.indexOf('## History'));
    expect(executorBrief(FACTS)).not.toContain('Broken');
  });

  it('tells where the files of the last session are', () => {
    const last: NonNullable<Facts['last']> = {
      session: 6,
      feature: 'F-002',
      end: 'crashed',
      outcome: null,
      summary: '',
      salvage: 'refs/longhaul/salvage/6',
      did: [],
    };
    expect(executorBrief({ ...FACTS, last })).toContain('git checkout refs/longhaul/salvage/6 -- PATH');
  });

  it('shows notes of any length that fits beside the rest, and cuts longer ones in whole lines', () => {
    const lines = Array.from({ length: 400 }, (_, n) => `Line ${n} of the notes`);
    const short = lines.slice(0, 200).join('\n');
    expect(executorBrief({ ...FACTS, notes: short })).toContain(short);
    const cut = executorBrief({ ...FACTS, notes: lines.join('\n') });
    expect(cut).toContain('Line 0 of the notes');
    expect(cut).toContain('Line 399 of the notes');
    const [left = '0'] = /(\d+)(?= bytes left out)/.exec(cut) ?? [];
    const shown = lines.filter(line => cut.includes(`\n${line}\n`));
    expect(Buffer.byteLength(lines.join('\n')) - Buffer.byteLength(shown.join('\n'))).toBe(Number(left) - 1);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(BRIEF_LIMIT_BYTES - 150);
  });

  it('tells what a person said and did', () => {
    const brief = executorBrief({ ...FACTS, personSaid: ['Use euros'], personDid: ['F-003 was added'] });
    expect(brief).toContain(
      '## A person since the last session\n[person says] Use euros\n[fact] F-003 was added',
    );
  });

  it('stays within its bytes and keeps feature, last notes and count, however long everything is', () => {
    const long = 'ä🎈'.repeat(3_000);
    const brief = executorBrief({
      ...FACTS,
      feature: {
        ...FACTS.feature,
        description: long.slice(0, 500),
        steps: Array.from({ length: 40 }, (_, n) => `${n} ${long.slice(0, 490)}`),
      },
      attempts: Array.from({ length: 30 }, (_, n) => ({
        session: n,
        end: 'turn_limit' as const,
        outcome: 'blocked' as const,
        summary: long,
        verdicts: [{ verdict: 'red' as const, summary: long }],
        salvage: null,
      })),
      log: Array.from({ length: 200 }, () => long),
      topLevel: Array.from({ length: 5_000 }, (_, n) => `file-${n}`),
      notes: `${long}${long}PROGRESS-TAIL`,
      setAside: Array.from({ length: 300 }, (_, n) => `F-${n}`),
      total: 300,
      repairs: Array.from({ length: 9 }, () => long),
      broken: Array.from({ length: 9 }, () => long),
      personSaid: Array.from({ length: 9 }, () => long),
      personDid: Array.from({ length: 9 }, () => long),
      app: { ok: false, problem: long },
    });
    expect(Buffer.byteLength(brief)).toBeLessThanOrEqual(BRIEF_LIMIT_BYTES);
    expect(brief).toContain('Feature: F-002');
    expect(brief).toContain('1 of 300 features pass');
    expect(brief).toContain('PROGRESS-TAIL');
    expect(brief.isWellFormed()).toBe(true);
  });
});

describe('the brief of an initializer', () => {
  it('names the spec, and why an earlier start was not accepted', () => {
    const facts = {
      session: 2,
      root: '/srv/app',
      branch: 'main',
      specPath: '/srv/app/app_spec.md',
      topLevel: ['app_spec.md'],
    };
    expect(initializerBrief({ ...facts, faults: [] })).toMatch(
      /^Session: 2, initializer\nApp spec: \/srv\/app\/app_spec\.md\n/,
    );
    expect(initializerBrief({ ...facts, faults: ['There is no init.sh.'] })).toContain(
      '- There is no init.sh.',
    );
  });
});

describe('prompt files', () => {
  it('are all loadable with the values that the code gives', () => {
    expect(loadPrompt('system')).not.toContain('{{');
    expect(loadPrompt('executor', { feature: 'F-1', brief: 'B' })).toContain('e2e/F-1.spec.ts');
    expect(loadPrompt('initializer', { initTemplate: 'T', brief: 'B' })).toContain('T');
    expect(loadPrompt('tools/notes', { limit: '6000' })).toContain('6000');
  });

  it('fail on a place that nothing fills, and on a value without a place', () => {
    expect(() => fillPlaces('Hello {{name}}', {}, 'x')).toThrow('{{name}}');
    expect(() => fillPlaces('Hello', { name: 'y' }, 'x')).toThrow('no place for name');
  });

  it('do not let data ask for more data', () => {
    expect(fillPlaces('{{a}} {{b}}', { a: '{{b}}', b: '$& $1' }, 'x')).toBe('{{b}} $& $1');
  });
});

describe('notes', () => {
  it('are refused when blank or too long, with what to do', () => {
    expect(notesProblem(' \n')).toContain('empty');
    expect(notesProblem('ä'.repeat(3_001))).toContain('Condense');
    expect(notesProblem('fine')).toBeNull();
  });
});
