// What a person does to an app between starts: commits, edits, another list, another spec; through the built command line.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Feature } from '../../harness/features/feature-list.js';
import { readJournal } from '../../harness/journal/read-journal.js';
import { call } from '../../harness/standin/scripted.js';
import { endOf, runCli, runRig, startRig } from '../support/rig.js';
import { rigPlay } from '../support/rig-scenario.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

const LONG = { timeout: 60_000 };

it(
  'a list and a spec that a person changes are taken with a record, and what changed is proved again',
  LONG,
  async () => {
    const { folder, url, briefs, longhaul } = await builtApp();

    const added = await longhaul(
      ...['features', folder.app, '--add', '--description', 'Answers F-003'],
      ...['--step', 'Open /F-003', '--step', 'See "F-003 works"', '--before', 'f-002'],
    );
    expect(added).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /^F-003 was added\ncommitted [0-9a-f]{7}: 2 of 3 features pass\nTo go on: the command that started it\n$/,
      ),
    });
    expect(await longhaul('features', folder.app, 'F-001', '--edit', '--step', 'See it work')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/F-001 must be proved again\ncommitted .*: 1 of 3 features pass/),
    });
    // The list as text, with what no person can say: that something passes.
    writeFileSync(
      join(folder.app, 'features.json'),
      JSON.stringify([
        ...list(folder).map(entry => ({ ...entry, passes: true })),
        { ...list(folder)[0], id: 'F-009' },
      ]),
    );
    writeFileSync(join(folder.app, 'app_spec.md'), '# A rig, with more\n');
    expect(await longhaul('features', folder.app, 'F-002', '--drop')).toMatchObject({
      code: 2,
      output: expect.stringContaining('not taken yet (F-009 was added; app_spec.md says something else)'),
    });
    expect(await longhaul('run', folder.app, '--no-sandbox', '--simulated')).toMatchObject({
      code: 2,
      output: expect.stringMatching(
        /take that with `longhaul amend .*`, or put it back with `git checkout [0-9a-f]{7} -- features.json app_spec.md`/,
      ),
    });
    const amended = await longhaul('amend', folder.app, '--yes');
    expect(amended).toMatchObject({
      code: 0,
      output: expect.stringContaining('features.json: F-009 was added'),
    });
    expect(await longhaul('features', folder.app, 'F-009', '--drop')).toMatchObject({ code: 0 });

    expect(list(folder).map(({ id, passes }) => `${id} ${passes}`)).toEqual([
      'F-001 false',
      'F-003 false',
      'F-002 true',
    ]);
    expect(folder.git('show', 'HEAD:app_spec.md')).toBe('# A rig, with more');
    expect(folder.git('status', '--porcelain')).toBe('');
    expect(folder.git('log', '-4', '--format=%s').split('\n')).toEqual([
      'Amend: F-009 was removed',
      'Amend: F-009 was added',
      'Amend: the steps of F-001 were changed',
      'Amend: F-003 was added',
    ]);
    expect((await longhaul('log', folder.app)).output.replace(/\s+/g, ' ')).toContain(
      'a person changed what is asked for: the steps of F-001 were changed; F-001 must be proved again',
    );

    briefs.length = 0;
    writeFileSync(join(folder.root, 'spec.md'), '# A rig, with more\n');
    expect(await runRig(folder, url)).toMatchObject({
      code: 0,
      output: expect.stringContaining('done: 3 of 3 features pass, 5 sessions'),
    });
    expect(briefs[0]).toMatch(
      /## A person since the last session\n\[fact\] F-003 was added \([0-9a-f]{7}\)\n/,
    );
    expect(briefs[0]).toMatch(/\[fact\] F-001 must be proved again \([0-9a-f]{7}\)\n/);
    expect(briefs.at(-1)).not.toContain('A person since the last session');
  },
);

it(
  "a person's commits are kept, all that passed is run again, and what they broke comes first",
  LONG,
  async () => {
    const { folder, url, briefs, longhaul } = await builtApp();
    await longhaul('features', folder.app, '--add', '--description', 'More', '--step', 'See "F-003 works"');
    const by = commitByHand(folder, () => rmSync(join(folder.app, 'features', 'F-001')));
    briefs.length = 0;
    const { code, output } = await runRig(folder, url);
    expect(output).toContain('1 commit made by hand since the last session');
    expect(output).toContain('2 specs run again: F-001 passed before and is red now');
    expect(code).toBe(0);
    expect(briefs[0]).toContain('## Broken: mend this first\n[fact] F-001 passed before and is red now');
    expect(briefs[0]).toContain('[fact] committed once by hand (features/F-001): `git log');
    const { records } = readJournal(folder.journal);
    expect(records.filter(record => record.type === 'suite.replayed')).toMatchObject([
      { specs: 2, broken: [expect.stringContaining('F-001')] },
    ]);
    expect(folder.git('merge-base', '--is-ancestor', by, 'HEAD')).toBe('');
  },
);

it('nothing is called done on the word of an old proof when a person broke it since', LONG, async () => {
  const { folder, url, longhaul } = await builtApp();
  await longhaul('features', folder.app, '--add', '--description', 'More', '--step', 'See more');
  commitByHand(folder, () => rmSync(join(folder.app, 'features', 'F-001')));
  await longhaul('features', folder.app, 'F-003', '--drop');
  expect(await runRig(folder, url)).toMatchObject({
    code: 6,
    output: expect.stringContaining('after the commits made by hand F-001 passed before and is red now'),
  });
  folder.git('-c', 'user.name=P', '-c', 'user.email=p@x', 'revert', '--no-edit', 'HEAD~1');
  expect(await runRig(folder, url, { options: { resume: true } })).toMatchObject({
    code: 0,
    output: expect.stringContaining('2 specs run again: all green'),
  });
});

it('what a person left uncommitted is shown, and committed or set aside when asked', LONG, async () => {
  const { folder, url, longhaul } = await builtApp();
  await longhaul('features', folder.app, '--add', '--description', 'More', '--step', 'See "F-003 works"');
  const file = join(folder.app, 'by-hand.txt');
  writeFileSync(file, 'mine');
  const head = folder.git('rev-parse', 'HEAD');
  const run = (...flags: string[]) =>
    longhaul('run', folder.app, '--no-sandbox', '--simulated', '--yes', '--max-sessions', '3', ...flags);

  expect(await run()).toMatchObject({
    code: 2,
    output: expect.stringMatching(
      /changes that no session made \(by-hand\.txt\).*--commit-mine.*--stash-mine/,
    ),
  });
  expect(await run('--commit-mine', '--stash-mine')).toMatchObject({ code: 2 });
  expect([readFileSync(file, 'utf8'), folder.git('rev-parse', 'HEAD')]).toEqual(['mine', head]);

  expect(await run('--stash-mine')).toMatchObject({
    code: 5,
    output: expect.stringContaining('`git stash pop` brings them back'),
  });
  expect(existsSync(file)).toBe(false);
  folder.git('stash', 'pop');
  expect(
    await runRig(folder, url, {
      options: { resume: true, mine: 'commit', flags: { maxSessions: 50 } },
    }),
  ).toMatchObject({
    code: 0,
    output: expect.stringContaining('committed 1 changed file of yours'),
  });
  expect(folder.git('log', '--format=%s', '--', 'by-hand.txt')).toBe('Changes made by hand');
});

it('changes that cannot be taken are refused in a sentence, and nothing is changed', LONG, async () => {
  const { folder, longhaul } = await builtApp();
  const before = () => [folder.git('rev-parse', 'HEAD'), readFileSync(folder.journal, 'utf8')];
  const was = before();
  const broken = join(folder.root, 'broken.json');
  writeFileSync(broken, '[{]');
  const F = ['features', folder.app];
  for (const [args, sentence] of [
    [[...F, '--add'], /needs --description TEXT and at least one --step/],
    [[...F, 'F-001', '--add', '--description', 'x', '--step', 'y'], /gets its id from the list/],
    [[...F, '--drop'], /Name the feature/],
    [[...F, 'F-077', '--drop'], /no feature "F-077"/],
    [[...F, 'F-001', '--edit'], /Say what to change/],
    [[...F, 'F-001', '--edit', '--drop'], /one of --add, --edit and --drop/],
    [[...F, 'F-001', '--description', 'x'], /Say what to do with that/],
    [[...F, 'F-001', '--edit', '--category', 'nice'], /category must be equal to one of/],
    [[...F, 'F-001', '--edit', '--depends-on', 'F-001'], /goes in a circle/],
    [[...F, 'F-001', '--edit', '--before', 'F-001'], /before itself/],
    [[...F, 'F-001', '--edit', '--description', 'Answers F-001'], /says that already/],
    [['amend', folder.app], /no terminal to ask on: add --yes/],
    [['amend', folder.app, '--yes'], /nothing to amend/],
    [['amend', folder.app, '--yes', '--list', broken], /cannot be taken: features\.json is not JSON/],
    [['amend', folder.app, '--yes', '--list', 'nowhere.json'], /does not exist/],
    [['amend', folder.root, '--yes'], /There is no run in/],
  ] as const) {
    const { code, output } = await longhaul(...args);
    expect([code, output.trim().split('\n').length]).toEqual([2, 1]);
    expect(output).toMatch(sentence);
  }
  expect(before()).toEqual(was);
});

it('while a process is at work, a change names it and waits for the person', LONG, async () => {
  const folder = runFolder();
  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  let begun = () => {};
  const atWork = new Promise<void>(resolve => {
    begun = resolve;
  });
  const standin = await standinFor(async ask => {
    begun();
    await held;
    return rigPlay(ask);
  });
  const run = startRig(folder, standin.url);
  const ended = endOf(run);
  await atWork;
  expect(await runCli(['amend', folder.app, '--yes'], folder.env(standin.url))).toMatchObject({
    code: 2,
    output: expect.stringContaining(`is being built by process ${run.pid}`),
  });
  release();
  expect((await ended).code).toBe(0);
});

/** The rig's app with both features built, and what a person can do to it. */
async function builtApp() {
  const folder = runFolder();
  const briefs: string[] = [];
  const standin = await standinFor(ask => {
    if (ask.feature !== null && ask.turn === 0) briefs.push(ask.brief);
    return ask.turn === 0 && ask.brief.includes('F-001 passed before')
      ? call('bash', {
          command: `mkdir -p features e2e && touch features/F-001 features/${ask.feature} && echo > e2e/${ask.feature}.txt`,
        })
      : rigPlay(ask);
  });
  expect((await runRig(folder, standin.url)).code).toBe(0);
  const longhaul = (...args: string[]) => runCli(args, folder.env(standin.url));
  return { folder, url: standin.url, briefs, longhaul };
}

function commitByHand(folder: RunFolder, change: () => void): string {
  change();
  folder.git('add', '-A');
  folder.git('-c', 'user.name=P', '-c', 'user.email=p@x', 'commit', '-qm', 'by hand');
  return folder.git('rev-parse', 'HEAD');
}

function list(folder: RunFolder): Feature[] {
  return JSON.parse(folder.git('show', 'HEAD:features.json'));
}
