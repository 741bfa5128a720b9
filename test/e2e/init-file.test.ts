import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJournal } from '../../harness/journal/read-journal.js';
import { call } from '../../harness/standin/scripted.js';
import { runRig } from '../support/rig.js';
import { rigPlay } from '../support/rig-scenario.js';
import { type RunFolder, runFolder } from '../support/run-folder.js';
import { standinFor } from '../support/standin.js';

const LONG = { timeout: 60_000 };

const restoredIn = ({ journal }: RunFolder) =>
  readJournal(journal).records.flatMap(record =>
    record.type === 'init.restored' ? [[record.session, record.found]] : [],
  );
const evidenceOf = ({ app }: RunFolder, id: string) =>
  JSON.parse(readFileSync(join(app, '.git/longhaul/evidence', id, 'result.json'), 'utf8'));

describe('init.sh', () => {
  it('comes back when a session removes it, on disk at once and in a commit at its end', LONG, async () => {
    const folder = runFolder();
    const told: string[] = [];
    const briefs: string[] = [];
    const standin = await standinFor(ask => {
      if (ask.feature !== 'F-001') return rigPlay(ask);
      if (ask.turn === 0) briefs.push(ask.brief);
      if (briefs.length > 1) return rigPlay(ask);
      told.push(ask.results.map(result => result.text).join('\n'));
      if (ask.turn === 0) return call('bash', { command: 'rm init.sh' });
      if (ask.turn === 1)
        return call('bash', { command: 'git rm -q init.sh && git commit -qm "less is more"' });
      return call('finish_session', { outcome: 'unfinished', summary: 'I stop.', progress: 'Nothing yet.' });
    });
    expect((await runRig(folder, standin.url)).code).toBe(0);
    expect(told[1]).toMatch(/\[fact\] init\.sh has been put back as it was \(it was removed\)/);
    expect(told[2]).toMatch(/\[fact\] init\.sh has been put back as it was/);
    expect(restoredIn(folder)).toEqual([
      [2, 'it was removed'],
      [2, 'it was removed'],
      [2, 'in a commit: it was removed'],
    ]);
    expect(briefs[1]).toContain(
      '[fact] init.sh was put back by a commit on top (in a commit: it was removed)',
    );
    const [first, second] = folder
      .git('log', '--format=%s', '--reverse', '--', 'init.sh')
      .split('\n')
      .slice(1);
    expect([first, second]).toEqual([
      'less is more',
      'Put init.sh back: without it no session can bring the app up',
    ]);
    // Nothing changed in the end, so no clean start was asked for.
    expect(evidenceOf(folder, 'F-001').cleanStarts).toBe(0);
  });

  it(
    'that only works the first time stops a flip, and one that works each time is proved',
    LONG,
    async () => {
      const folder = runFolder();
      let told = '';
      const standin = await standinFor(ask => {
        if (ask.feature !== 'F-001' || ask.turn === 0) return rigPlay(ask);
        if (ask.turn === 1)
          return call('bash', {
            command: `echo marker > .gitignore; sed -i 's/setup) ;;/setup) [ "\${PWD##*\\/}" = app ] || [ ! -e marker ]; touch marker ;;/' init.sh`,
          });
        if (ask.turn === 3) {
          told = ask.results.map(result => result.text).join();
          return call('bash', { command: `sed -i 's/setup) .*/setup) touch marker ;;/' init.sh` });
        }
        return rigPlay({ ...ask, turn: 1 });
      });
      expect((await runRig(folder, standin.url)).code).toBe(0);
      expect(told).toMatch(
        /F-001 is not verified\. The spec is green, but init\.sh was changed.*The second time in the same checkout: init\.sh setup ended with exit code 1/s,
      );
      expect(evidenceOf(folder, 'F-001').cleanStarts).toBe(2);
      // F-002 comes after that proof and changes nothing about it.
      expect(evidenceOf(folder, 'F-002').cleanStarts).toBe(0);
    },
  );
});
