// What was seen of an API: which tool types it takes for a model. Kept in the operator's state, by address and model.

import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readIfExists, writeFileDurably } from '../base/atomic-file.js';
import { isRecord } from './is-record.js';
import { isTrainedType, TRAINED_TYPES, type TrainedType } from './trained-tools.js';

export type Verdict = 'accepted' | 'refused';

export interface SeenApi {
  /** As `apiAddress` gives it. */
  address: string;
  model: string;
  /** A type that was never looked at is not in it. */
  tools: Partial<Record<TrainedType, { verdict: Verdict; at: string }>>;
}

/** Whose result it is. */
export type SeenOf = Pick<SeenApi, 'address' | 'model'>;

const FORMAT = 1;

/** What is stored, or nothing seen: also for a file of a newer format or of somebody else's making. */
export function readSeenApi(stateFolder: string, { address, model }: SeenOf): SeenApi {
  const nothing = { address, model, tools: {} };
  const bytes = readIfExists(pathOf(stateFolder, { address, model }));
  const stored = bytes === undefined ? undefined : parsed(bytes.toString('utf8'));
  if (!isRecord(stored) || stored.v !== FORMAT || !isRecord(stored.tools)) return nothing;
  if (stored.address !== address || stored.model !== model) return nothing;
  return { ...nothing, tools: Object.fromEntries(Object.entries(stored.tools).filter(isSeen)) };
}

/** Adds to what is stored: a type that was not looked at this time keeps its verdict. */
export function writeSeenApi(stateFolder: string, seen: SeenApi): void {
  const tools = { ...readSeenApi(stateFolder, seen).tools, ...seen.tools };
  mkdirSync(folderOf(stateFolder), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ v: FORMAT, ...seen, tools }, null, 2)}\n`;
  writeFileDurably(pathOf(stateFolder, seen), text, { mode: 0o600 });
}

/** The types that a run may send. */
export function acceptedTypes({ tools }: SeenApi): ReadonlySet<TrainedType> {
  return new Set(TRAINED_TYPES.filter(type => tools[type]?.verdict === 'accepted'));
}

function folderOf(stateFolder: string): string {
  return join(stateFolder, 'seen-api');
}

/** Addresses and models hold characters that no file name may. */
function pathOf(stateFolder: string, { address, model }: SeenOf): string {
  const name = createHash('sha256').update(`${address}\n${model}`).digest('hex').slice(0, 24);
  return join(folderOf(stateFolder), `${name}.json`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSeen([type, seen]: [string, unknown]): boolean {
  if (!isTrainedType(type) || !isRecord(seen) || typeof seen.at !== 'string') return false;
  return seen.verdict === 'accepted' || seen.verdict === 'refused';
}
