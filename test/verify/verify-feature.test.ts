import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../harness/base/clock.js';
import { newId } from '../../harness/base/ids.js';
import { formatFeatureList } from '../../harness/features/feature-list.js';
import type { Proof, ProofRun, ProofTarget } from '../../harness/verify/proof.js';
import type { VerifyRequest } from '../../harness/verify/verification.js';
import { verifyFeature } from '../../harness/verify/verify-feature.js';
import { openBareRoom } from '../../harness/workspace/bare-room.js';
import type { Room } from '../../harness/workspace/room.js';
import { makeStartedApp, THREE_FEATURES } from '../support/temp-app.js';

/** A real app over real git; only what a proof says is scripted, through the seam that proofs have. */
let temp: Awaited<ReturnType<typeof makeStartedApp>>;
let room: Room;
let asked: string[];
beforeEach(async () => {
  temp = await makeStartedApp();
  room = openBareRoom({
    folder: join(temp.app.root, '..', 'room'),
    marker: `test${newId()}.1.1`,
    clock: systemClock,
    host: { PATH: process.env.PATH },
  });
  asked = [];
  writeFileSync(
    join(temp.app.root, 'server.mjs'),
    `import { createServer } from 'node:http';
createServer((_, response) => response.end('here')).listen(Number(process.env.PORT), '127.0.0.1');\n`,
  );
  temp.write('e2e/F-001.spec.ts', '// the spec\n');
  initScript();
});
afterEach(async () => {
  await room.close();
  temp.dispose();
});

function initScript(more: { setup?: string; start?: string; check?: string; reset?: string } = {}): void {
  const { setup = 'true', start = 'exec node server.mjs', check = 'true', reset = 'true' } = more;
  writeFileSync(
    join(temp.app.root, 'init.sh'),
    `case "$1" in setup) ${setup} ;; start) ${start} ;; check) ${check} ;; reset) ${reset} ;; esac\n`,
  );
}

/** init.sh as it lies there, for those to whom it is nothing new. */
async function provedInit(): Promise<string> {
  const content = readFileSync(join(temp.app.root, 'init.sh'), 'utf8');
  return temp.app.git.patchTree(temp.base, [{ path: 'init.sh', content }]);
}

type Verdict = ProofRun['verdict'];

/** Answers by what is proved: the feature on the app, on the empty page, and stored ones by id. */
function proof(
  says: {
    app?: Verdict;
    blank?: Verdict;
    stored?: Verdict;
    storedBlank?: Verdict;
    missing?: string;
    during?: () => void;
  } = {},
): Proof {
  return {
    missing: () => says.missing ?? null,
    file: feature => `e2e/${feature.id}.spec.ts`,
    hash: () => 'spec-hash',
    run: async (feature, { blank }: ProofTarget) => {
      const own = feature.id === 'F-001';
      const what = blank ? (own ? 'blank' : 'storedBlank') : own ? 'app' : 'stored';
      asked.push(`${what} ${feature.id}`);
      says.during?.();
      const verdict = {
        app: says.app ?? 'green',
        blank: says.blank ?? 'red',
        stored: says.stored ?? 'green',
        storedBlank: says.storedBlank ?? 'red',
      }[what];
      return {
        verdict,
        summary: `${what} is ${verdict}`,
        report: `report of ${what}`,
        files: [],
        details: {},
        ms: 1,
      } as ProofRun;
    },
  };
}

async function verify(says: Parameters<typeof proof>[0] = {}, more: Partial<VerifyRequest> = {}) {
  const deadlines = { setupMs: 5_000, startMs: 3_000 };
  const deps = {
    app: temp.app,
    branch: 'main',
    journal: temp.journal,
    clock: systemClock,
    room,
    proof: proof(says),
    deadlines,
  };
  return verifyFeature(deps, {
    session: 2,
    feature: THREE_FEATURES[0] as (typeof THREE_FEATURES)[number],
    canonical: { text: temp.text, list: THREE_FEATURES, spec: null },
    init: more.init ?? { base: temp.base, proved: await provedInit() },
    commitMessage: 'Show the first thing\n\nBecause.',
    progress: 'new notes\n',
    ports: await room.ports(),
    beforeStart: async () => {
      asked.push('before start');
    },
    atRisk: [],
    signal: new AbortController().signal,
    ...more,
  });
}

const types = () => temp.journal.records.map(record => record.type);

describe('a feature that is proved', () => {
  it('gets a plan for a commit that flips it alone, with trailers and the hash of its evidence', async () => {
    const outcome = await verify();
    if ('refused' in outcome || !outcome.flip) throw new Error(JSON.stringify(outcome));
    expect(outcome.verdict).toBe('green');
    expect(asked).toEqual(['before start', 'app F-001', 'blank F-001']);
    const list = JSON.parse(temp.git('show', `${outcome.flip.tree}:features.json`));
    expect(list.map((feature: { passes: boolean }) => feature.passes)).toEqual([true, false, false]);
    expect(temp.git('show', `${outcome.flip.tree}:claude-progress.txt`)).toBe('new notes');
    expect(outcome.flip).toMatchObject({ base: temp.base });
    expect(outcome.flip.message).toMatch(
      /^Show the first thing\n\nBecause\.\n\nLonghaul-Feature: F-001\nLonghaul-Session: 2\nLonghaul-Evidence: [0-9a-f]{64}\n$/,
    );
    const result = JSON.parse(readFileSync(join(temp.app.state, 'evidence', 'F-001', 'result.json'), 'utf8'));
    // What was proved is what would be committed, but for the flip.
    const changed = temp.git('diff-tree', '-r', '--name-only', result.tree, outcome.flip.tree);
    expect(changed).toBe('features.json');
    expect(types()).toEqual(['verify.begin', 'verify.result']);
    // Nothing is committed yet, and the list on disk is as it was.
    expect(temp.git('rev-parse', 'HEAD')).toBe(temp.base);
    expect(readFileSync(join(temp.app.root, 'features.json'), 'utf8')).toBe(temp.text);
  });

  it('must leave what passed before green', async () => {
    const outcome = await verify({ stored: 'red' }, { atRisk: THREE_FEATURES.slice(1, 2) });
    expect(outcome).toMatchObject({
      verdict: 'red',
      flip: null,
      report: expect.stringContaining('F-002: report of stored'),
    });
    expect(asked).not.toContain('blank F-001');
  });
});

describe('the spec of a passing feature that was changed', () => {
  /** F-002 and F-003 pass; the spec of F-002 is changed, or gone, since that was proved. */
  async function changedRequest(now: string | null): Promise<Partial<VerifyRequest>> {
    const list = THREE_FEATURES.map(feature => ({ ...feature, passes: feature.id !== 'F-001' }));
    for (const id of ['F-002', 'F-003']) temp.write(`e2e/${id}.spec.ts`, '// proved\n');
    const content = readFileSync(join(temp.app.root, 'init.sh'), 'utf8');
    const proved = await temp.app.git.patchTree(temp.base, [
      { path: 'init.sh', content },
      ...['F-002', 'F-003'].map(id => ({ path: `e2e/${id}.spec.ts`, content: '// proved\n' })),
    ]);
    if (now === null) rmSync(join(temp.app.root, 'e2e/F-002.spec.ts'));
    else temp.write('e2e/F-002.spec.ts', now);
    return {
      canonical: { text: formatFeatureList(list), list, spec: null },
      init: { base: temp.base, proved },
    };
  }

  it('is proved anew with the feature, and named', async () => {
    const outcome = await verify({}, await changedRequest('// loosened\n'));
    expect(outcome).toMatchObject({ verdict: 'green' });
    expect(asked.slice(1)).toEqual(['app F-001', 'stored F-002', 'blank F-001', 'storedBlank F-002']);
    expect(temp.journal.records.at(-1)).toMatchObject({ changedSpecs: ['F-002'] });
    const result = JSON.parse(readFileSync(join(temp.app.state, 'evidence', 'F-001', 'result.json'), 'utf8'));
    expect(result).toMatchObject({ alsoGreen: ['F-002'], changedSpecs: ['F-002'] });
  });

  it.each<[string, string | null, Parameters<typeof proof>[0], string, RegExp]>([
    [
      'gutted',
      '// nothing\n',
      { storedBlank: 'green' },
      'unproven',
      /changed spec of F-002 is green on an empty page/,
    ],
    ['unclear on an empty page', '// slow\n', { storedBlank: 'inconclusive' }, 'unproven', /F-002/],
    [
      'no longer bound to its steps',
      '// other steps\n',
      { stored: 'broken' },
      'red',
      /F-002: report of stored/,
    ],
    ['red', '// wrong\n', { stored: 'red' }, 'red', /loosen it to its step/],
  ])('stops the flip when it is %s', async (_, now, says, verdict, report) => {
    const outcome = await verify(says, await changedRequest(now));
    expect(outcome).toMatchObject({ verdict, flip: null, report: expect.stringMatching(report) });
  });

  it('costs nothing when it is as it was proved', async () => {
    await verify({}, await changedRequest('// proved\n'));
    expect(asked.slice(1)).toEqual(['app F-001', 'blank F-001']);
    expect(temp.journal.records.at(-1)).not.toHaveProperty('changedSpecs');
  });
});

describe('no flip comes from', () => {
  it.each<[string, Parameters<typeof proof>[0], string, RegExp]>([
    ['a red spec', { app: 'red' }, 'red', /report of app/],
    ['a broken spec', { app: 'broken' }, 'broken', /report of app/],
    [
      'a spec that is green on an empty page',
      { blank: 'green' },
      'unproven',
      /green on an empty page too, so it proves nothing/,
    ],
    [
      'an empty page that could not be judged',
      { blank: 'inconclusive' },
      'inconclusive',
      /could not be told/,
    ],
  ])('%s', async (_, says, verdict, report) => {
    const outcome = await verify(says);
    expect(outcome).toMatchObject({ verdict, flip: null, report: expect.stringMatching(report) });
    expect(temp.journal.records.at(-1)).toMatchObject({
      type: 'verify.result',
      verdict,
      evidenceSha256: null,
      flip: null,
    });
  });

  it('an app that changed while its spec ran', async () => {
    const outcome = await verify({
      during: () => temp.write('written-by-the-app.txt', String(asked.length)),
    });
    expect(outcome).toMatchObject({
      verdict: 'inconclusive',
      flip: null,
      report: expect.stringContaining('$DATA_DIR'),
    });
  });

  it('an app whose own check is red', async () => {
    initScript({ check: 'echo "2 tests failed"; exit 1' });
    expect(await verify()).toMatchObject({
      verdict: 'red',
      flip: null,
      report: expect.stringMatching(/init\.sh check ended with exit code 1.*2 tests failed/s),
    });
  });

  it.each([
    [
      'does not come up',
      { start: 'echo "no such module"; exit 3' },
      /ended at once \(exit code 3\).*no such module/s,
    ],
    ['cannot be set up', { setup: 'echo "no network"; exit 1' }, /setup ended with exit code 1.*no network/s],
    ['never answers', { start: 'sleep 60' }, /did not answer at http:\/\/127\.0\.0\.1:\d+ within 3 s/],
  ])('an app that %s, and the model is told why', async (_, script, report) => {
    initScript(script);
    const outcome = await verify();
    expect(outcome).toMatchObject({
      verdict: 'red',
      flip: null,
      cameUp: false,
      report: expect.stringMatching(report),
    });
    expect(room.processes()).toEqual([]);
  });

  it('a verification that a person interrupted, which is no red either', async () => {
    const stop = new AbortController();
    const outcome = await verify({ during: () => stop.abort() }, { signal: stop.signal });
    expect(outcome).toMatchObject({
      verdict: 'inconclusive',
      flip: null,
      summary: 'The verification was interrupted.',
    });
  });
});

describe('a verification is refused before it begins', () => {
  it.each<[string, () => Parameters<typeof proof>[0], RegExp]>([
    ['without a spec', () => ({ missing: 'There is no spec.' }), /There is no spec/],
    [
      'whose spec git does not see',
      () => {
        temp.write('.gitignore', 'e2e/\n');
        return {};
      },
      /e2e\/F-001\.spec\.ts is hidden from git/,
    ],
    [
      'on another branch',
      () => {
        temp.git('checkout', '-qb', 'side');
        return {};
      },
      /on the branch side, but this run builds on main/,
    ],
    [
      'with a repository inside the app',
      () => {
        mkdirSync(join(temp.app.root, 'web'));
        temp.git('init', '-q', 'web');
        temp.write('web/x', 'x');
        temp.git('-C', 'web', 'add', '-A');
        temp.git('-C', 'web', 'commit', '-qm', 'x');
        return {};
      },
      /rm -rf web\/\.git/,
    ],
  ])('%s, with what would work, and the app is left running', async (_, prepare, sentence) => {
    const outcome = await verify(prepare());
    expect(outcome).toMatchObject({ refused: expect.stringMatching(sentence) });
    expect(asked).toEqual([]);
    expect(types()).toEqual([]);
  });
});

describe('the list', () => {
  it('is put back before anything is proved', async () => {
    rmSync(join(temp.app.root, 'features.json'));
    const outcome = await verify();
    expect('refused' in outcome ? null : outcome.verdict).toBe('green');
    expect(types()[0]).toBe('list.restored');
  });
});

describe('an init.sh that changed since it was last proved', () => {
  /** Of the work tree and of checkouts; the file lies outside of both. */
  const starts = () =>
    readFileSync(join(temp.app.root, '..', 'starts'), 'utf8')
      .trim()
      .split('\n');
  const counted = (more: string) => ({
    start: `echo "$PWD" >> ${join(temp.app.root, '..', 'starts')}; ${more} exec node server.mjs`,
  });
  const changed = () => ({ init: { base: temp.base, proved: temp.base } });
  const evidence = () =>
    JSON.parse(readFileSync(join(temp.app.state, 'evidence', 'F-001', 'result.json'), 'utf8'));

  it('must come up twice from a clean checkout of the candidate, and the evidence says so', async () => {
    initScript(counted(''));
    expect(await verify({}, changed())).toMatchObject({ verdict: 'green' });
    expect(starts()).toEqual([temp.app.root, ...Array(2).fill(join(room.scratch, 'start-checkout'))]);
    expect(evidence().cleanStarts).toBe(2);
    expect(room.processes()).toEqual([]);
  });

  it('costs nothing when its text is as it was', async () => {
    initScript(counted(''));
    expect(await verify()).toMatchObject({ verdict: 'green' });
    expect(starts()).toEqual([temp.app.root]);
    expect(evidence().cleanStarts).toBe(0);
  });

  it.each([
    ['works only the first time', '[ ! -e marker ]; touch marker;', /The second time in the same checkout/],
    ['needs what is not committed', 'cat notes.local;', /In a clean checkout of your files/],
  ])('and %s is no flip: the model is told what was run and what it printed', async (_, more, sentence) => {
    // Both hold in the work tree, where the spec is green.
    temp.write('.gitignore', 'marker\nnotes.local\n');
    temp.write('notes.local', 'here\n');
    initScript({ ...counted(''), setup: `set -e; ${more}` });
    expect(await verify({}, changed())).toMatchObject({
      verdict: 'red',
      flip: null,
      cameUp: true,
      summary: expect.stringMatching(/the changed init\.sh does not come up twice/),
      report: expect.stringMatching(sentence),
    });
    expect(existsSync(join(temp.app.state, 'evidence'))).toBe(false);
  });

  it('is not asked for while the spec is red', async () => {
    initScript(counted(''));
    await verify({ app: 'red' }, changed());
    expect(starts()).toHaveLength(1);
  });

  it('and is gone comes back before anything is proved', async () => {
    const init = { base: temp.base, proved: await provedInit() };
    rmSync(join(temp.app.root, 'init.sh'));
    expect(await verify({}, { init })).toMatchObject({ verdict: 'green' });
    expect(types()[0]).toBe('init.restored');
  });

  it('and git was told to ignore is refused', async () => {
    temp.write('.gitignore', 'init.sh\n');
    expect(await verify()).toMatchObject({ refused: expect.stringContaining('init.sh is hidden from git') });
  });
});
