// Pages that were not delivered yet, a file each: the message, and what each channel made of it.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '../base/atomic-file.js';
import { MOST_MESSAGE_BYTES, type PageMessage } from './page-message.js';

export interface OutboxEntry {
  v: 1;
  message: PageMessage;
  /** By name of the channel. */
  tries: Record<string, number>;
  /** Channels that took it. */
  sent: string[];
}

export class Outbox {
  readonly #folder: string;

  /** @param stateFolder the harness's own folder in the git directory. */
  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'outbox');
  }

  /** @throws LonghaulError `disk`. */
  put(entry: OutboxEntry): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileDurably(this.#path(entry.message.key), `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600 });
  }

  remove(key: string): void {
    rmSync(this.#path(key), { force: true });
  }

  /** Every entry that can be read. */
  all(): OutboxEntry[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      return [];
    }
    return names.sort().flatMap(name => this.#read(name) ?? []);
  }

  #read(name: string): OutboxEntry | null {
    try {
      const entry: OutboxEntry = JSON.parse(readFileSync(join(this.#folder, name), 'utf8'));
      const { key, text, title } = entry.message;
      const whole =
        entry.v === 1 &&
        name === `${key}.json` &&
        typeof text === 'string' &&
        typeof title === 'string' &&
        typeof entry.tries === 'object' &&
        Array.isArray(entry.sent) &&
        Buffer.byteLength(JSON.stringify(entry.message)) <= MOST_MESSAGE_BYTES;
      return whole ? entry : null;
    } catch {
      return null;
    }
  }

  #path(key: string): string {
    return join(this.#folder, `${key}.json`);
  }
}
