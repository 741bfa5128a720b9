import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageInAppFile, parsePageSettings, readPageSettings } from '../../harness/config/page-settings.js';

describe('page in the settings', () => {
  it.each([
    [{ webhook: 'https://hooks.example/a?b=c' }, { webhook: 'https://hooks.example/a?b=c', command: null }],
    [{ webhook: 'http://127.0.0.1:8080/' }, { webhook: 'http://127.0.0.1:8080/', command: null }],
    [{ command: ['notify-me', ''] }, { webhook: null, command: ['notify-me', ''] }],
    [{ command: ['/usr/bin/notify'] }, { webhook: null, command: ['/usr/bin/notify'] }],
  ])('%j is taken', (value, settings) => {
    expect(parsePageSettings(value, 'config.json')).toEqual(settings);
  });

  it.each<[value: unknown, sentence: RegExp]>([
    ['https://x', /^config.json sets page, but it must be an object, for example/],
    [null, /must be an object/],
    [{}, /sets page without a channel/],
    [{ slack: 'x' }, /sets page\.slack, which is no channel\. Channels are: webhook, command\./],
    [{ webhook: 'nowhere' }, /page\.webhook, but it must be an address/],
    [{ webhook: 7 }, /page\.webhook, but it must be an address/],
    [{ webhook: 'http://example.com/secret' }, /must begin with https:/],
    [{ webhook: 'file:///etc/passwd' }, /must begin with https:/],
    [{ webhook: 'https://u:secret@example.com' }, /with a user or password in it/],
    [{ command: 'notify-me' }, /page\.command, but it must be a list of texts/],
    [{ command: [] }, /must be a list of texts/],
    [{ command: ['a', 7] }, /must be a list of texts/],
    [{ command: [' '] }, /with an empty program/],
    [{ command: ['./notify.sh'] }, /name a program on the PATH or its absolute path/],
  ])('%j is refused with one sentence', (value, sentence) => {
    const parse = () => parsePageSettings(value, 'config.json');
    expect(parse).toThrow(
      expect.objectContaining({ code: 'refused', exitCode: 2, message: expect.stringMatching(sentence) }),
    );
    expect(parse).not.toThrow(/secret/);
  });

  it("is read from the operator's file, and never from the app's", () => {
    const folder = mkdtempSync(join(tmpdir(), 'page-'));
    const path = join(folder, 'config.json');
    expect(readPageSettings(null)).toBe(null);
    expect(readPageSettings(path)).toBe(null);
    writeFileSync(path, '{"turns": 5}');
    expect(readPageSettings(path)).toBe(null);
    writeFileSync(path, '{"turns": 5, "page": {"command": ["true"]}}');
    expect(readPageSettings(path)).toEqual({ webhook: null, command: ['true'] });
    writeFileSync(path, 'no json');
    expect(() => readPageSettings(path)).toThrow(/is not JSON/);
    rmSync(folder, { recursive: true });
    expect(pageInAppFile('longhaul.config.json').message).toMatch(/lies where the agent can write/);
  });
});
