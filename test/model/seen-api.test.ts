import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { apiAddress } from '../../harness/model/api-address.js';
import { acceptedTypes, readSeenApi, type SeenApi, writeSeenApi } from '../../harness/model/seen-api.js';

const OF = { address: 'https://api.example', model: 'claude-x' };
const AT = '2026-11-30T00:00:00.000Z';
const SEEN: SeenApi = {
  ...OF,
  tools: {
    bash_20250124: { verdict: 'accepted', at: AT },
    text_editor_20250728: { verdict: 'refused', at: AT },
  },
};

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'seen-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function fileIn(state: string): string {
  const [name = ''] = readdirSync(join(state, 'seen-api'));
  return join(state, 'seen-api', name);
}

describe('what was seen of an API', () => {
  it('is nothing at first', () => {
    expect(readSeenApi(join(folder(), 'not', 'made'), OF)).toEqual({ ...OF, tools: {} });
  });

  it('comes back as it was kept, for its address and model only, and for nobody else to read', () => {
    const state = folder();
    writeSeenApi(state, SEEN);
    expect(readSeenApi(state, OF)).toEqual(SEEN);
    expect([...acceptedTypes(readSeenApi(state, OF))]).toEqual(['bash_20250124']);
    expect(readSeenApi(state, { ...OF, model: 'claude-y' }).tools).toEqual({});
    expect(readSeenApi(state, { ...OF, address: 'https://gateway.example' }).tools).toEqual({});
    expect(statSync(fileIn(state)).mode & 0o777).toBe(0o600);
  });

  it('keeps the verdict on a type that was not looked at again', () => {
    const state = folder();
    writeSeenApi(state, SEEN);
    const later = '2026-12-01T00:00:00.000Z';
    writeSeenApi(state, { ...OF, tools: { text_editor_20250728: { verdict: 'accepted', at: later } } });
    expect(readSeenApi(state, OF).tools).toEqual({
      bash_20250124: { verdict: 'accepted', at: AT },
      text_editor_20250728: { verdict: 'accepted', at: later },
    });
  });

  it.each([
    ['half a file', '{"v":1,"addr'],
    ['a newer format', JSON.stringify({ v: 2, ...SEEN })],
    ['another address', JSON.stringify({ v: 1, ...SEEN, address: 'https://other.example' })],
    ['no tools', JSON.stringify({ v: 1, ...OF })],
    ['strange tools', JSON.stringify({ v: 1, ...OF, tools: { sh: { verdict: 'accepted', at: AT } } })],
    ['a strange verdict', JSON.stringify({ v: 1, ...OF, tools: { bash_20250124: { verdict: 1, at: AT } } })],
    ['no verdict', JSON.stringify({ v: 1, ...OF, tools: { bash_20250124: true } })],
  ])('is nothing in the case of %s', (_, text) => {
    const state = folder();
    writeSeenApi(state, SEEN);
    writeFileSync(fileIn(state), text);
    expect(readSeenApi(state, OF)).toEqual({ ...OF, tools: {} });
    writeSeenApi(state, SEEN);
    expect(readSeenApi(state, OF)).toEqual(SEEN);
  });
});

describe('the address of an API', () => {
  it.each([
    [undefined, 'https://api.anthropic.com'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['HTTPS://Gateway.example/claude/', 'https://gateway.example/claude'],
    ['https://user:secret@gateway.example/x?key=secret#secret', 'https://gateway.example/x'],
  ])('%s is named as %s, without what may be secret', (given, named) => {
    expect(apiAddress(given)).toBe(named);
  });

  it('is kept without it too', () => {
    const state = folder();
    writeSeenApi(state, { ...SEEN, address: apiAddress('https://user:secret@gateway.example') });
    expect(readFileSync(fileIn(state), 'utf8')).not.toContain('secret');
  });
});
