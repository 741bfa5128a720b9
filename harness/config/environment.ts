// The one reader of the process's environment. Everybody else is handed what they need.

import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Environment {
  /** All variables, for those who hand a few of them on by an allowlist (git, rooms). */
  host: Readonly<Record<string, string | undefined>>;
  apiKey: string | undefined;
  /** Another address of the Messages API: a gateway, or the stand-in. */
  baseUrl: string | undefined;
  /** $LONGHAUL_BROWSER: the browser to use instead of the first one found. */
  browser: string | undefined;
  /** Set by `run --detach` for the process that it starts: the one that builds. */
  isDetached: boolean;
  /** Operator's settings file. */
  configFile: string;
  /** Operator's state folder: rooms, later backups and caches. */
  stateFolder: string;
}

export const DETACHED_VARIABLE = 'LONGHAUL_DETACHED';

export function readEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Environment {
  const given = (name: string) => env[name] || undefined;
  return {
    host: env,
    apiKey: given('ANTHROPIC_API_KEY'),
    baseUrl: given('ANTHROPIC_BASE_URL'),
    browser: given('LONGHAUL_BROWSER'),
    isDetached: given(DETACHED_VARIABLE) !== undefined,
    configFile: join(given('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'longhaul', 'config.json'),
    stateFolder: join(given('XDG_STATE_HOME') ?? join(homedir(), '.local', 'state'), 'longhaul'),
  };
}
