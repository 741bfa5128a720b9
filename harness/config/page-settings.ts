// `page` of the operator's file: where a person is paged. It reaches out and runs a program, so the app's file may not set it.

import { isAbsolute } from 'node:path';
import { type LonghaulError, refuse } from '../base/errors.js';
import { readSettingsFile } from './settings-file.js';

export interface PageSettings {
  /** Gets a POST with JSON. */
  webhook: string | null;
  /** Program and arguments; the text comes on its standard input. */
  command: string[] | null;
}

/** Key in the settings file. */
export const PAGE_KEY = 'page';

const EXAMPLE = '"page": { "webhook": "https://…", "command": ["notify-me", "--urgent"] }';
/** Addresses to which no other machine listens: there is nothing to read on the way. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * What the operator's file says of pages, or null when it says nothing.
 * @throws LonghaulError `refused` with one sentence.
 */
export function readPageSettings(operatorFile: string | null): PageSettings | null {
  const data = operatorFile === null ? undefined : readSettingsFile(operatorFile);
  const value = isObject(data) ? data[PAGE_KEY] : undefined;
  return value === undefined || operatorFile === null ? null : parsePageSettings(value, operatorFile);
}

/** @throws LonghaulError `refused` with one sentence that names `where`. */
export function parsePageSettings(value: unknown, where: string): PageSettings {
  if (!isObject(value)) throw refuse(`${where} sets page, but it must be an object, for example ${EXAMPLE}.`);
  const strange = Object.keys(value).find(key => key !== 'webhook' && key !== 'command');
  if (strange !== undefined)
    throw refuse(`${where} sets page.${strange}, which is no channel. Channels are: webhook, command.`);
  const { webhook, command } = value;
  const problem = webhookProblem(webhook) ?? commandProblem(command);
  if (problem) throw refuse(`${where} sets page.${problem}.`);
  if (webhook === undefined && command === undefined)
    throw refuse(`${where} sets page without a channel; give it one, for example ${EXAMPLE}.`);
  return {
    webhook: typeof webhook === 'string' ? webhook : null,
    command: Array.isArray(command) ? command : null,
  };
}

/** The refusal of `page` in the app's own file. */
export function pageInAppFile(where: string): LonghaulError {
  return refuse(
    `${where} sets page, but that file lies where the agent can write, and page reaches out and runs a program. Set it in the operator's file.`,
  );
}

/** The end of a sentence. The address itself is not told: it may hold a token. */
function webhookProblem(webhook: unknown): string | null {
  if (webhook === undefined) return null;
  const url = typeof webhook === 'string' ? parseUrl(webhook) : null;
  if (url === null) return 'webhook, but it must be an address like https://…';
  if (url.username !== '' || url.password !== '')
    return 'webhook with a user or password in it, which would not be sent; put a token into its path or query instead';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))) return null;
  return 'webhook, but it must begin with https:// (http:// only to this machine)';
}

function commandProblem(command: unknown): string | null {
  if (command === undefined) return null;
  const words = Array.isArray(command) && command.length > 0 && command.every(isWord) ? command : null;
  if (words === null)
    return 'command, but it must be a list of texts, the program first, for example ["notify-me", "--urgent"]';
  const [program = ''] = words;
  if (program.trim() === '') return 'command with an empty program';
  // A path from where we are would lead into the app, where the agent writes.
  if (program.includes('/') && !isAbsolute(program))
    return `command to ${JSON.stringify(program)}; name a program on the PATH or its absolute path`;
  return null;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
