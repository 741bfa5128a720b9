import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJournal } from '../../harness/journal/read-journal.js';
import { costOf, priceTable } from '../../harness/model/prices.js';
import type { Ask } from '../../harness/standin/scenario.js';
import { call, calls, error } from '../../harness/standin/scripted.js';
import { diskSnapshot } from '../support/disk-snapshot.js';
import { isAlive, until } from '../support/processes.js';
import { endOf, runCli, runRig, startRig } from '../support/rig.js';
import { rigPlay } from '../support/rig-scenario.js';
import { runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

const LONG = { timeout: 60_000 };
describe('the first minutes', () => {
  it('`new` writes a spec to fill in, once', async () => {
    const folder = runFolder();
    const env = folder.env('http://127.0.0.1:9');
    expect(await runCli(['new', folder.app], env)).toMatchObject({
      code: 0,
      output: expect.stringContaining('Fill it in'),
    });
    expect(readFileSync(join(folder.app, 'spec.md'), 'utf8')).toContain('## Not wanted');
    expect(await runCli(['new', folder.app], env)).toMatchObject({
      code: 2,
      output: expect.stringContaining('exists already'),
    });
  });

  it('`doctor` tells what is there and what is missing, with exit code 2 when no run could start', async () => {
    const folder = runFolder();
    const well = await runCli(['doctor', folder.app], folder.env('http://127.0.0.1:9'));
    expect(well.code).toBe(0);
    expect(well.output).toMatch(/^ok {6}node: v\d+/m);
    expect(well.output).toMatch(/^ok {6}browser: .*Chrom/m);
    const ill = await runCli(['doctor', '--json'], {
      ...folder.env(''),
      ANTHROPIC_API_KEY: '',
      LONGHAUL_BROWSER: '/nowhere',
    });
    expect(ill.code).toBe(2);
    const needed = JSON.parse(ill.output).filter((each: { state: string }) => each.state === 'needed');
    expect(needed.map((each: { what: string }) => each.what)).toEqual(['browser', 'key']);
    expect(ill.output).not.toContain('sk-test-canary');
  });

  it('`run --plan` lays out the project, prints the plan and ends; `run` builds it', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    const planned = await runRig(folder, standin.url, { options: { plan: true } });
    expect(planned.code).toBe(0);
    expect(planned.output).toMatch(/functional \(2\)\n {2}F-001 Answers F-001\n {2}F-002 Answers F-002/);
    expect(planned.output).toMatch(/estimate: \$\d+\.\d\d to \$\d+(\.\d\d)? \(simulated\), 2 to 4 sessions/);
    expect(planned.output).toMatch(
      /programs: node, no-such-program-x\n {2}missing on this machine: no-such-program-x/,
    );
    expect(planned.output).toContain('Should answers be cached? Decided: no.');
    expect(planned.output.trim().split('\n').at(-1)).toMatch(/^planned: 0 of 2 features pass, 1 session/);
    expect(standin.requests.length).toBe(2);
    expect((await runRig(folder, standin.url)).code).toBe(0);
  });

  it('a folder as spec brings its pictures along', LONG, async () => {
    const folder = runFolder();
    const spec = join(folder.root, 'wanted');
    mkdirSync(join(spec, 'looks'), { recursive: true });
    writeFileSync(join(spec, 'spec.md'), '# With pictures\n');
    writeFileSync(join(spec, 'looks', 'start.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]));
    const standin = await standinFor(rigPlay);
    const { code } = await runCli(
      ['run', folder.app, '--spec', spec, '--no-sandbox', '--simulated', '--plan'],
      folder.env(standin.url),
    );
    expect(code).toBe(0);
    expect(readFileSync(join(folder.app, 'app_spec.md'), 'utf8')).toBe('# With pictures\n');
    expect(readFileSync(join(folder.app, 'app_spec', 'looks', 'start.png'))).toHaveLength(5);
    expect(folder.git('ls-files')).toContain('app_spec/looks/start.png');
  });
});

describe('what a person does between starts', () => {
  it('is refused when it mixes simulated and real money', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    await runRig(folder, standin.url, { options: { flags: { maxSessions: 1 } } });
    const real = await runCli(
      ['resume', folder.app, '--no-sandbox', '--max-sessions', '9'],
      folder.env(standin.url),
    );
    expect(real).toMatchObject({
      code: 2,
      output: expect.stringContaining('simulated dollars; it cannot go on with a real model'),
    });
  });
});

describe('a run', () => {
  it('that is whole ends with exit code 0 and its sentence; again, it asks nothing', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    const { code, output } = await runRig(folder, standin.url);
    expect(output.trim().split('\n').at(-1)).toMatch(
      /^done: 2 of 2 features pass, 3 sessions, \$0\.\d\d \(simulated\), [\d.]+ s$/,
    );
    expect(code).toBe(0);
    const asked = standin.requests.length;
    // Whoever only wants to know how it stands needs no key, no word about walls, and changes nothing.
    const before = diskSnapshot(folder.root);
    const again = await runCli(['run', folder.app], { ...folder.env(''), ANTHROPIC_API_KEY: '' });
    expect(again.code).toBe(0);
    expect(again.output).toMatch(/^done: 2 of 2/);
    expect(diskSnapshot(folder.root)).toEqual(before);
    expect(standin.requests.length).toBe(asked);
    const status = await runCli(['status', folder.app, '--json'], folder.env(standin.url));
    expect(JSON.parse(status.output)).toMatchObject({
      state: 'done',
      reason: null,
      passed: 2,
      total: 2,
      sessions: 3,
      budgetUsd: 20,
      feature: null,
      pid: null,
    });
    // One prefix in all sessions, and the sum of the journal is what the API billed.
    const prefixes = standin.requests
      .filter(isMessage)
      .map(({ body }) => JSON.stringify([sent(body).system, sent(body).tools]));
    expect(new Set(prefixes).size).toBe(1);
    const table = priceTable();
    const billed = standin.billed.reduce(
      (sum, { model, usage }) => sum + costOf(usage, table.priceOf(model)),
      0,
    );
    expect(JSON.parse(status.output).spentUsd).toBeCloseTo(billed, 5);
  });

  it(
    'with one impossible feature among three ends with two passing and exit code 3, and rests there',
    LONG,
    async () => {
      const folder = runFolder();
      const standin = await standinFor(withThird);
      const { code, output } = await runRig(folder, standin.url);
      expect(output).toContain('F-002 is set aside after 3 sessions');
      // Initializer, F-001, F-002 three times, F-003, F-002 once more.
      expect(output.trim().split('\n').at(-1)).toMatch(
        /^stuck \(F-002 did not pass.*\): 2 of 3 features pass, 7 sessions/,
      );
      expect(code).toBe(3);
      const asked = standin.requests.length;
      const again = await runRig(folder, standin.url);
      expect(again.code).toBe(3);
      expect(again.output).toContain('To go on: longhaul resume');
      expect(standin.requests.length).toBe(asked);
      const resumed = await runRig(folder, standin.url, { options: { resume: true } });
      expect(resumed.code).toBe(3);
      expect(standin.requests.length).toBeGreaterThan(asked);
    },
  );

  it.each([0.02, 0.06, 0.12, 0.25])(
    'with a budget of $%f ends with exit code 4 and never above it',
    LONG,
    async budgetUsd => {
      const folder = runFolder();
      const standin = await standinFor(ask =>
        ask.turn < 40 ? call('bash', { command: `echo ${ask.turn}` }) : rigPlay(ask),
      );
      const { code, output } = await runRig(folder, standin.url, { options: { flags: { budgetUsd } } });
      expect(output.trim().split('\n').at(-1)).toMatch(/^budget/);
      expect(code).toBe(4);
      const { spentUsd } = JSON.parse(
        (await runCli(['status', folder.app, '--json'], folder.env(standin.url))).output,
      );
      expect(spentUsd).toBeLessThanOrEqual(budgetUsd);
      // At every prefix of the journal the reservations fit under the cap.
      let sum = 0;
      const open = new Map<string, number>();
      for (const record of readJournal(folder.journal).records) {
        if (record.type === 'spend.reserve') {
          sum += record.usd;
          open.set(record.call, record.usd);
        }
        if (record.type === 'spend.settle') sum += record.usd - (open.get(record.call) ?? 0);
        expect(sum).toBeLessThanOrEqual(budgetUsd + 1e-9);
      }
      const again = await runRig(folder, standin.url);
      expect(again.code).toBe(4);
    },
  );

  it('out of money goes on when a person gives more', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    expect((await runRig(folder, standin.url, { options: { flags: { budgetUsd: 0.12 } } })).code).toBe(4);
    const { code } = await runRig(folder, standin.url, {
      options: { resume: true, flags: { budgetUsd: 5 } },
    });
    expect(code).toBe(0);
    const status = await runCli(['status', folder.app, '--json'], folder.env(standin.url));
    expect(JSON.parse(status.output)).toMatchObject({ state: 'done', budgetUsd: 5 });
  });

  it('ends with exit code 5 when its sessions are used', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(rigPlay);
    const { code, output } = await runRig(folder, standin.url, { options: { flags: { maxSessions: 2 } } });
    expect(output).toMatch(/session_limit \(all 2 sessions were used\): 1 of 2 features pass/);
    expect(code).toBe(5);
  });

  it.each([
    ['a bad key', 401, 'authentication_error', 'invalid x-api-key'],
    [
      'no credit',
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API.',
    ],
    ['an unknown model', 404, 'not_found_error', 'model: claude-x'],
  ])('ends with exit code 6 at the first request for %s', LONG, async (_, status, type, message) => {
    const folder = runFolder();
    const standin = await standinFor(() => error(status, type, message));
    const { code, output } = await runRig(folder, standin.url);
    expect(output.trim().split('\n').at(-1)).toContain('needs_person');
    expect(output).toContain(message);
    expect(code).toBe(6);
    expect(standin.requests).toHaveLength(1);
  });

  it(
    'ends with exit code 6 and the words of a session that needs a person, whose answer is in the next brief',
    LONG,
    async () => {
      const folder = runFolder();
      const standin = await standinFor(ask =>
        ask.feature === null || ask.brief.includes('[person says] It is in account 7.')
          ? rigPlay(ask)
          : call('finish_session', {
              outcome: 'needs_person',
              summary: 'The payment account is missing.',
              progress: 'x',
            }),
      );
      const { code, output } = await runRig(folder, standin.url);
      expect(output).toContain('needs_person (The payment account is missing.)');
      expect(output).toContain('with --say "your answer"');
      expect(code).toBe(6);
      const say = 'It is in account 7.';
      const resumed = await runRig(folder, standin.url, {
        options: { resume: true, say, flags: { maxSessions: 3 } },
      });
      expect(resumed.output).toContain('1 of 2 features pass');
    },
  );

  it('ends with exit code 3 when three initializers bring no start, each told why', LONG, async () => {
    const folder = runFolder();
    const standin = await standinFor(ask =>
      ask.turn === 0
        ? calls([
            ['text_editor', { command: 'create', path: 'features.json', file_text: '[]' }],
            ['finish_session', { outcome: 'done', summary: 'All done!', progress: 'x' }],
          ])
        : { kind: 'message', content: [{ type: 'text', text: 'I am done.' }] },
    );
    const { code, output } = await runRig(folder, standin.url);
    expect(output.trim().split('\n').at(-1)).toMatch(/^init_failed .*must NOT have fewer than 1 items/);
    expect(code).toBe(3);
    const begins = standin.requests.filter(isMessage).filter(({ body }) => sent(body).messages.length === 1);
    expect(begins).toHaveLength(3);
    expect(JSON.stringify(sent(begins[1]?.body).messages)).toContain('An earlier start was not accepted');
  });

  it('is saved by Ctrl-C with exit code 130, and the same command goes on', LONG, async () => {
    const folder = runFolder();
    let hold = true;
    const standin = await standinFor(ask => {
      if (hold && ask.feature === 'F-001')
        return call('bash', { command: 'echo begun > half.txt; sleep 60' });
      return rigPlay(ask);
    });
    const child = startRig(folder, standin.url);
    const ended = endOf(child);
    await until(() => existsSync(join(folder.app, 'half.txt')));
    const before = Date.now();
    child.kill('SIGINT');
    const { code, output } = await ended;
    expect(Date.now() - before).toBeLessThan(15_000);
    expect(code).toBe(130);
    expect(output.trim().split('\n').at(-1)).toMatch(/^interrupted/);
    expect(folder.git('show', 'refs/longhaul/salvage/2:half.txt')).toBe('begun');
    hold = false;
    expect((await runRig(folder, standin.url)).code).toBe(0);
  });

  it(
    'tells the next session first what the last one broke, and keeps sound unfinished work',
    LONG,
    async () => {
      const folder = runFolder();
      const briefs: string[] = [];
      const standin = await standinFor(ask => {
        if (ask.feature !== 'F-002') return rigPlay(ask);
        if (ask.turn === 0) briefs.push(ask.brief);
        const giveUp = {
          kind: 'message' as const,
          content: [{ type: 'text' as const, text: 'I stop here.' }],
        };
        // First session: it commits a change that breaks F-001. Second: it mends that and leaves sound work undone.
        if (briefs.length === 1)
          return ask.turn === 0
            ? call('bash', { command: 'git rm -q features/F-001 && git commit -qm oops' })
            : giveUp;
        if (briefs.length === 2)
          return ask.turn === 0
            ? call('bash', { command: 'mkdir -p features && touch features/F-001 unfinished.txt' })
            : giveUp;
        return rigPlay(ask);
      });
      const { code } = await runRig(folder, standin.url);
      expect(code).toBe(0);
      expect(briefs[0]).not.toContain('Broken');
      expect(briefs[1]).toMatch(
        /## Broken: mend this first\n\[fact\] F-001 passed before and is red now: Red: expected "F-001 works"/,
      );
      expect(briefs[2]).not.toContain('Broken');
      expect(briefs[2]).toContain('unfinished work is committed as');
      expect(folder.git('log', '--format=%s', '--', 'unfinished.txt')).toBe('wip F-002 (not verified)');
    },
  );

  it('refuses a flip that breaks what passed before, and tells the model which', LONG, async () => {
    const folder = runFolder();
    let told = '';
    const standin = await standinFor(ask => {
      if (ask.feature !== 'F-002') return rigPlay(ask);
      if (ask.turn === 0)
        return call('bash', { command: 'rm features/F-001; touch features/F-002; echo x > e2e/F-002.txt' });
      if (ask.turn === 1) return rigPlay(ask);
      if (ask.turn === 2) {
        told = ask.results.map(result => result.text).join();
        return call('bash', { command: 'touch features/F-001' });
      }
      return rigPlay({ ...ask, turn: 1 });
    });
    const { code } = await runRig(folder, standin.url);
    expect(told).toContain('The spec of F-002 is green, but what passed before is red with this change');
    expect(told).toContain('F-001: Red: expected "F-001 works"');
    expect(code).toBe(0);
    const result = JSON.parse(
      readFileSync(join(folder.app, '.git/longhaul/evidence/F-002/result.json'), 'utf8'),
    );
    expect(result.alsoGreen).toEqual(['F-001']);
  });

  it('takes no word for a proof: done in an executor session is refused', LONG, async () => {
    const folder = runFolder();
    let told = '';
    const standin = await standinFor(ask => {
      if (ask.feature !== 'F-001') return rigPlay(ask);
      if (ask.turn === 0)
        return call('finish_session', { outcome: 'done', summary: 'It works.', progress: 'All done.' });
      if (ask.turn === 1) told = ask.results.map(result => result.text).join();
      return rigPlay({ ...ask, turn: ask.turn - 1 });
    });
    expect((await runRig(folder, standin.url)).code).toBe(0);
    expect(told).toContain('A feature is done when verify_feature proved it');
  });

  it.each([
    [
      'a list in which something passes already',
      `sed -i '0,/false/s//true/' features.json`,
      `sed -i 's/true/false/' features.json`,
      /F-001 have passes: true, but nothing is proved yet/,
    ],
    [
      'files that git does not see',
      'echo server.mjs > .gitignore',
      'rm .gitignore',
      /In a clean checkout of your files .*init\.sh start ended at once/s,
    ],
    [
      'a second start that fails',
      `sed -i 's/setup) ;;/setup) [ ! -e \\"$DATA_DIR\\/x\\" ]; touch \\"$DATA_DIR\\/x\\" ;;/' init.sh`,
      `sed -i 's/setup) .*/setup) ;;/' init.sh`,
      /The second time in the same checkout: init\.sh setup ended with exit code 1/,
    ],
  ])('takes no start with %s', LONG, async (_, damage, mend, sentence) => {
    const folder = runFolder();
    let told = '';
    const standin = await standinFor(ask => {
      if (ask.feature !== null || ask.turn === 0) return rigPlay(ask);
      if (ask.turn === 1) return call('bash', { command: damage });
      if (ask.turn === 3) {
        told = ask.results.map(result => result.text).join();
        return call('bash', { command: mend });
      }
      return rigPlay({ ...ask, turn: 1 });
    });
    expect((await runRig(folder, standin.url)).code).toBe(0);
    expect(told).toMatch(sentence);
  });

  it('takes no start whose smoke check fails', LONG, async () => {
    const folder = runFolder();
    let told = '';
    const standin = await standinFor(ask => {
      if (ask.feature !== null) return rigPlay(ask);
      if (ask.turn === 0) return rigPlay(ask);
      if (ask.turn === 1)
        return call('bash', {
          command: `sed -i 's/smoke) .*/smoke) echo "no heartbeat"; exit 1 ;;/' init.sh`,
        });
      if (ask.turn === 2) return rigPlay({ ...ask, turn: 1 });
      if (ask.turn === 3) {
        told = ask.results.map(result => result.text).join();
        return call('bash', { command: `sed -i 's/smoke) .*/smoke) ;;/' init.sh` });
      }
      return rigPlay({ ...ask, turn: 1 });
    });
    expect((await runRig(folder, standin.url)).code).toBe(0);
    expect(told).toMatch(
      /came up from a clean checkout, but init\.sh smoke ended with exit code 1.*no heartbeat/s,
    );
  });

  it('is stopped after its session by `stop`, and may be paused then', LONG, async () => {
    const folder = runFolder();
    let asked: Promise<unknown> | null = null;
    const standin = await standinFor(async ask => {
      if (ask.feature === 'F-001' && ask.turn === 0)
        asked = runCli(['stop', folder.app], folder.env('http://127.0.0.1:9'));
      await asked;
      return rigPlay(ask);
    });
    const { code, output } = await runRig(folder, standin.url);
    expect(output.trim().split('\n').at(-1)).toMatch(/^stopped .*: 1 of 2 features pass/);
    expect(code).toBe(130);
    // A pause of what is stopped already takes the going on back.
    expect((await runCli(['pause', folder.app], folder.env(standin.url))).output).toContain(
      'only `longhaul resume`',
    );
    const paused = await runCli(['run', folder.app], folder.env(standin.url));
    expect(paused).toMatchObject({ code: 130, output: expect.stringContaining('To go on: longhaul resume') });
    expect((await runCli(['pause', folder.app], folder.env(standin.url))).output).toContain(
      'already (paused)',
    );
    expect((await runRig(folder, standin.url, { options: { resume: true } })).code).toBe(0);
  });

  it(
    'is paused at once by `pause`, rests until a person resumes, and nobody is asked meanwhile',
    LONG,
    async () => {
      const folder = runFolder();
      let hold = true;
      const standin = await standinFor(ask =>
        hold && ask.feature === 'F-001' ? call('bash', { command: 'touch ready; sleep 60' }) : rigPlay(ask),
      );
      const ended = endOf(startRig(folder, standin.url));
      await until(() => existsSync(join(folder.app, 'ready')));
      const pause = await runCli(['pause', folder.app], folder.env(standin.url));
      expect(pause).toMatchObject({
        code: 0,
        output: expect.stringContaining('only `longhaul resume` goes on'),
      });
      expect(await ended).toMatchObject({
        code: 130,
        output: expect.stringContaining('paused (a person paused it)'),
      });
      hold = false;
      const requests = standin.requests.length;
      expect(await runRig(folder, standin.url)).toMatchObject({
        code: 130,
        output: expect.stringContaining('To go on: longhaul resume'),
      });
      expect(standin.requests.length).toBe(requests);
      expect((await runRig(folder, standin.url, { options: { resume: true } })).code).toBe(0);
      expect(await runCli(['stop', folder.app], folder.env(standin.url))).toMatchObject({
        code: 0,
        output: expect.stringContaining('nothing runs'),
      });
    },
  );

  it('gives no key to anything that the agent runs, and undoes what it does to the list', LONG, async () => {
    const folder = runFolder();
    let leaked = '';
    let told = '';
    const standin = await standinFor(ask => {
      if (ask.feature !== 'F-001') return rigPlay(ask);
      if (ask.turn === 0)
        return call('bash', {
          command:
            'env; cat /proc/self/environ; cat /proc/$PPID/environ | tr "\\0" "\\n" | grep ROOM; echo $HOME',
        });
      if (ask.turn === 1) {
        leaked = ask.results.map(result => result.text).join('\n');
        return call('bash', {
          command: `sed -i 's/"passes": false/"passes": true/' features.json && git commit -qam 'everything passes'`,
        });
      }
      if (ask.turn === 2) {
        told = ask.results.map(result => result.text).join('\n');
        return rigPlay({ ...ask, turn: 0 });
      }
      return rigPlay({ ...ask, turn: 1 });
    });
    const { code } = await runRig(folder, standin.url);
    expect(leaked).toContain('PATH=');
    expect(leaked).not.toContain('sk-test-canary');
    expect(leaked).not.toContain('ANTHROPIC');
    expect(leaked).not.toContain(folder.home);
    expect(told).toContain('features.json was changed (passes of F-001 was set to true');
    expect(code).toBe(0);
    // The forged commit is put right: at no commit but its own do both pass before both were verified.
    const first = folder.git('log', '--format=%H', '--grep=Longhaul-Feature: F-001');
    expect(folder.git('show', `${first}:features.json`).match(/"passes": true/g)).toHaveLength(1);
    expect(readFileSync(folder.journal, 'utf8')).not.toContain('sk-test-canary');
  });

  it(
    'lets the agent look at its app in a browser, search it, and leaves no browser behind',
    LONG,
    async () => {
      const folder = runFolder();
      const told: string[] = [];
      const standin = await standinFor(ask => {
        if (ask.feature !== 'F-001') return rigPlay(ask);
        told.push(...ask.results.map(result => result.text));
        if (ask.turn === 0) return call('browser', { action: 'open', url: '/F-001' });
        if (ask.turn === 1) {
          return calls([
            ['browser', { action: 'read' }],
            ['search', { pattern: 'nothing here' }],
          ]);
        }
        return rigPlay({ ...ask, turn: ask.turn - 2 });
      });
      expect((await runRig(folder, standin.url)).code).toBe(0);
      expect(told.join('\n')).toMatch(/http:\/\/127\.0\.0\.1:\d+\/F-001/);
      expect(told.join('\n')).toContain('nothing here');
      expect(told.join('\n')).toMatch(/server\.mjs:\d+:.*nothing here/);
      const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
      expect(processes).not.toContain(folder.stateHome);
    },
  );

  it('kills what an earlier, killed process left running', LONG, async () => {
    const folder = runFolder();
    let hold = true;
    const standin = await standinFor(ask => {
      if (hold && ask.feature === 'F-001')
        return call('bash', {
          command: `setsid sleep 600 & echo $! > ${folder.root}/pid; touch ${folder.root}/ready; sleep 60`,
        });
      return rigPlay(ask);
    });
    const child = startRig(folder, standin.url);
    const ended = endOf(child);
    await until(() => existsSync(join(folder.root, 'ready')));
    child.kill('SIGKILL');
    await ended;
    const pid = Number(readFileSync(join(folder.root, 'pid'), 'utf8'));
    expect(isAlive(pid)).toBe(true);
    hold = false;
    const { code, output } = await runRig(folder, standin.url);
    expect(output).toMatch(/ended \d+ processes that an earlier session left/);
    expect(isAlive(pid)).toBe(false);
    expect(code).toBe(0);
  });
});

/** The rig with a third feature; the second one never works. */
function withThird(ask: Ask) {
  if (ask.feature === null && ask.turn === 0) {
    const reply = rigPlay(ask);
    if (!('then' in reply) && reply.kind === 'message') {
      for (const block of reply.content) {
        if (block.type !== 'tool_use') continue;
        const input = block.input as { path: string; file_text: string };
        if (input.path !== 'features.json') continue;
        const list = JSON.parse(input.file_text);
        input.file_text = JSON.stringify([...list, { ...list[0], id: 'F-003' }]);
      }
    }
    return reply;
  }
  if (ask.feature === 'F-002') {
    if (ask.turn === 0) return call('bash', { command: 'mkdir -p e2e && echo never > e2e/F-002.txt' });
    if (ask.turn === 1)
      return call('verify_feature', { id: 'F-002', commitMessage: 'Try', progress: 'F-002 does not work.' });
    return { kind: 'message' as const, content: [{ type: 'text' as const, text: 'All features complete.' }] };
  }
  return rigPlay(ask);
}

function isMessage({ path }: { path: string }): boolean {
  return path.split('?')[0] === '/v1/messages';
}

function sent(body: unknown): { system: unknown; tools: unknown; messages: unknown[] } {
  return body as { system: unknown; tools: unknown; messages: unknown[] };
}
