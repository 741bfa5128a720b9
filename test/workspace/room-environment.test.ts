import { describe, expect, test } from 'vitest';
import { roomEnvironment } from '../../harness/workspace/room-environment.js';

const base = {
  host: {},
  marker: 'run1.2.3',
  home: '/room/home',
  temp: '/room/tmp',
  nodeFolder: '/opt/node/bin',
  platform: 'linux' as const,
};

describe('roomEnvironment', () => {
  test('nothing of the host gets in but language, time zone and certificates', () => {
    const host = {
      ANTHROPIC_API_KEY: 'secret',
      ANTHROPIC_BASE_URL: 'secret',
      GITHUB_TOKEN: 'secret',
      NPM_TOKEN: 'secret',
      npm_config__auth: 'secret',
      HTTPS_PROXY: 'http://user:secret@proxy',
      SSH_AUTH_SOCK: 'secret',
      NODE_OPTIONS: '--require=/secret',
      LD_PRELOAD: '/secret',
      BASH_ENV: '/secret',
      GIT_CONFIG_GLOBAL: '/secret',
      HOME: '/secret',
      PATH: '/secret',
      LONGHAUL_ROOM: 'secret',
      LANG: 'de_DE.UTF-8',
      TZ: 'Europe/Berlin',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      SSL_CERT_FILE: '',
    };
    const env = roomEnvironment({ ...base, host });
    expect(JSON.stringify(env)).not.toContain('secret');
    expect(env).toMatchObject({
      LANG: 'de_DE.UTF-8',
      TZ: 'Europe/Berlin',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      HOME: '/room/home',
      TMPDIR: '/room/tmp',
      LONGHAUL_ROOM: 'run1.2.3',
    });
    expect(env).not.toHaveProperty('SSL_CERT_FILE');
    expect(env).not.toHaveProperty('LC_ALL');
  });

  test('programs neither ask nor page, and builds do not take the room for a CI machine', () => {
    expect(roomEnvironment(base)).toMatchObject({
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      GIT_EDITOR: 'true',
      npm_config_cache: '/room/home/.npm',
    });
    expect(roomEnvironment(base)).not.toHaveProperty('CI');
  });

  test("the harness's own node comes first on a fixed path", () => {
    const path = '/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    expect(roomEnvironment(base).PATH).toBe(path);
    expect(roomEnvironment({ ...base, platform: 'darwin' }).PATH).toBe(`${path}:/opt/homebrew/bin`);
  });

  test('git knows who commits, when told', () => {
    expect(roomEnvironment(base)).not.toHaveProperty('GIT_AUTHOR_NAME');
    expect(roomEnvironment({ ...base, identity: { name: 'A', email: 'a@b' } })).toMatchObject({
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@b',
    });
  });

  test('nothing renames the marker', () => {
    const env = roomEnvironment({ ...base, extra: { LONGHAUL_ROOM: 'other', EXTRA: '1' } });
    expect(env).toMatchObject({ LONGHAUL_ROOM: 'run1.2.3', EXTRA: '1' });
  });
});
