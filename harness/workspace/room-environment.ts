// The environment of every process in a room: made by allowlist, so that no key of this machine ever gets in.

import { join } from 'node:path';

/** The variable by which a room's processes are found again, whatever group or parent they have by then. */
export const MARKER_VARIABLE = 'LONGHAUL_ROOM';

/** Who commits, where git knows nobody. */
export interface GitIdentity {
  name: string;
  email: string;
}

export interface RoomEnvironmentOptions {
  /** The harness's own environment. Only the names below are ever read from it. */
  host: Readonly<Record<string, string | undefined>>;
  marker: string;
  home: string;
  temp: string;
  /** Folder of the Node that runs the harness: the app gets the same one. */
  nodeFolder: string;
  platform: NodeJS.Platform;
  identity?: GitIdentity;
  /** Variables that the harness itself adds, such as the folder of a browser. */
  extra?: Readonly<Record<string, string>>;
}

/** Language and time zone: programs of the app print and sort as its developer is used to. */
const LOCALE = ['LANG', 'LC_ALL', 'TZ'] as const;

/** Paths of certificates, no secrets: without them nothing can be installed behind a company's proxy. */
const CERTIFICATES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
] as const;

const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * Nobody answers a question in a room, so programs are told not to ask, page, colour or draw. `CI` is not set: it changes
 * what builds do (frozen lock files, snapshots not written, warnings as errors), and a closed standard input already
 * keeps programs from asking.
 */
const QUIET: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  npm_config_yes: 'true',
  npm_config_progress: 'false',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
};

/** Pure. The marker comes last: nothing may rename it. */
export function roomEnvironment(options: RoomEnvironmentOptions): Record<string, string> {
  const { host, home, temp, nodeFolder, platform, identity, extra, marker } = options;
  const path = [nodeFolder, ...SYSTEM_PATH, ...(platform === 'darwin' ? ['/opt/homebrew/bin'] : [])];
  return {
    LANG: 'C.UTF-8',
    ...picked(host, LOCALE),
    ...picked(host, CERTIFICATES),
    ...QUIET,
    PATH: path.join(':'),
    HOME: home,
    TMPDIR: temp,
    npm_config_cache: join(home, '.npm'),
    ...(identity ? gitVariables(identity) : {}),
    ...extra,
    [MARKER_VARIABLE]: marker,
  };
}

function picked(host: RoomEnvironmentOptions['host'], names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = host[name];
    if (value) found[name] = value;
  }
  return found;
}

function gitVariables({ name, email }: GitIdentity): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}
