import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeEvidence } from '../../harness/verify/evidence.js';
import { readEvidence } from '../../harness/watch/stored-evidence.js';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'evidence-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

function store(): string {
  const trace = join(state, 'given.zip');
  writeFileSync(trace, 'PK');
  return storeEvidence(
    state,
    {
      feature: 'F-001',
      session: 2,
      tree: 't',
      specSha256: 's',
      at: '2026-01-01T00:00:00.000Z',
      verdict: 'green',
      blank: { verdict: 'red', summary: 'Nothing there.' },
      alsoGreen: [],
      changedSpecs: [],
      cleanStarts: 0,
      ms: 1_200,
      details: {
        kind: 'spec',
        tests: [{ title: 'a', durationMs: 900, steps: [{ title: 'b', durationMs: 5 }] }],
      },
    },
    [{ name: 'trace.zip', path: trace }],
  );
}

describe('stored evidence', () => {
  it('is read as it was stored, and known by the hash of the journal', () => {
    const sha256 = store();
    expect(readEvidence(state, 'F-001', sha256)).toEqual({
      folder: join(state, 'evidence', 'F-001'),
      sha256,
      intact: true,
      at: '2026-01-01T00:00:00.000Z',
      session: 2,
      tree: 't',
      specSha256: 's',
      ms: 1_200,
      blank: 'red: Nothing there.',
      tests: [{ title: 'a', ms: 900, steps: [{ title: 'b', ms: 5 }] }],
      files: [{ name: 'trace.zip', bytes: 2, path: join(state, 'evidence', 'F-001', 'trace.zip') }],
    });
  });

  it('that somebody changed is not intact', () => {
    const sha256 = store();
    const path = join(state, 'evidence', 'F-001', 'result.json');
    const { blank, ...rest } = {
      blank: { verdict: 'red' },
      at: 'x',
      session: 1,
      tree: 't',
      specSha256: 's',
      ms: 1,
      details: {},
      files: [{ name: 7 }, null],
    };
    writeFileSync(path, JSON.stringify({ ...rest, blank }));
    expect(readEvidence(state, 'F-001', sha256)).toMatchObject({ intact: false, files: [], tests: [] });
  });

  it.each(['', 'null', '[]', '{"at":1}', 'no json'])('that holds %j counts as none', text => {
    mkdirSync(join(state, 'evidence', 'F-001'), { recursive: true });
    writeFileSync(join(state, 'evidence', 'F-001', 'result.json'), text);
    expect(readEvidence(state, 'F-001', null)).toBe(null);
    expect(readEvidence(state, 'F-002', null)).toBe(null);
  });
});
