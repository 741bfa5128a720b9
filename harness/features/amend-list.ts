// How a person changes the list: an edited list, or one entry added, edited or dropped. What was proved and now says
// something else must be proved again. Pure.

import type { AmendedFeature } from '../journal/records.js';
import { type Feature, type FeatureList, formatFeatureList, parseFeatureList } from './feature-list.js';
import { contractChanges } from './legal-change.js';

export interface Amendment {
  list: FeatureList;
  changes: AmendedFeature[];
  /** For people and for the next brief; empty when nothing changes. */
  sentences: string[];
}

export type Amended = ({ ok: true } & Amendment) | { ok: false; problems: string[] };

/** What a person says of an entry; what is missing stays, or gets its default in a new one. */
export interface FeatureFields {
  category?: string;
  description?: string;
  steps?: string[];
  depends_on?: string[];
}

/** Fields of an entry that its proof speaks for. */
const PROVED = ['description', 'steps'] as const;
const AMENDABLE = ['category', 'description', 'steps', 'depends_on'] as const;

/**
 * Takes a person's list in place of the one in force. `passes` is no part of it: an entry keeps what was verified as long
 * as it says the same, and everything else fails.
 */
export function amendList(before: FeatureList, wanted: FeatureList): Amended {
  const changes: AmendedFeature[] = [];
  const list = wanted.map(entry => {
    const old = before.find(({ id }) => id === entry.id);
    const proved = old?.passes === true && PROVED.every(key => isSame(old[key], entry[key]));
    if (!old) changes.push({ id: entry.id, change: 'added', proveAgain: false });
    else if (AMENDABLE.some(key => !isSame(old[key], entry[key]))) {
      changes.push({ id: entry.id, change: 'changed', proveAgain: old.passes && !proved });
    }
    return { ...entry, passes: proved };
  });
  for (const { id } of before) {
    if (!wanted.some(entry => entry.id === id)) changes.push({ id, change: 'dropped', proveAgain: false });
  }
  // One place knows what a list must be: ids, steps, dependencies.
  const parsed = parseFeatureList(formatFeatureList(list));
  if (!parsed.ok) return parsed;
  const again = changes.flatMap(({ id, proveAgain }) => (proveAgain ? [id] : []));
  return {
    ok: true,
    list,
    changes,
    sentences: [
      ...contractChanges(before, list),
      ...(again.length > 0 ? [`${again.join(', ')} must be proved again`] : []),
    ],
  };
}

/**
 * Adds an entry at the end, or before another one.
 * @param used ids that must not come back: those of the list and those that the run ever worked on.
 */
export function addFeature(
  list: FeatureList,
  fields: FeatureFields,
  { before, used }: { before: string | null; used: ReadonlySet<string> },
): Amended & { id: string } {
  const id = nextId(list, used);
  const entry = withFields({ id, category: 'functional', description: '', steps: [], passes: false }, fields);
  return { ...amendList(list, placed(list, entry, before)), id };
}

/** Changes an entry in place, and moves it before another one when asked to. */
export function editFeature(
  list: FeatureList,
  id: string,
  fields: FeatureFields,
  before: string | null,
): Amended {
  const changed = list.map(entry => (entry.id === id ? withFields(entry, fields) : entry));
  const entry = changed.find(each => each.id === id);
  if (!entry) throw new Error(`no feature ${id} in the list`);
  if (before === null) return amendList(list, changed);
  return amendList(
    list,
    placed(
      changed.filter(each => each !== entry),
      entry,
      before,
    ),
  );
}

/** Takes an entry out. Entries that depend on it must be changed first: the problems name them. */
export function dropFeature(list: FeatureList, id: string): Amended {
  const needing = list.filter(entry => entry.depends_on?.includes(id)).map(entry => entry.id);
  if (needing.length > 0) {
    const [first] = needing;
    return {
      ok: false,
      problems: [
        `${needing.join(', ')} ${needing.length === 1 ? 'depends' : 'depend'} on ${id}. Drop ${needing.length === 1 ? 'it' : 'them'} first, or name other dependencies with --depends-on (\`--depends-on ""\` for none), as in \`longhaul features DIR ${first} --edit --depends-on ""\`.`,
      ],
    };
  }
  return amendList(
    list,
    list.filter(entry => entry.id !== id),
  );
}

function placed(list: FeatureList, entry: Feature, before: string | null): Feature[] {
  const at = before === null ? list.length : list.findIndex(each => each.id === before);
  if (at < 0) throw new Error(`no feature ${before} in the list`);
  return [...list.slice(0, at), entry, ...list.slice(at)];
}

/** Keys stay in their order: the commit shows nothing that nobody changed. */
function withFields(entry: Feature, { category, description, steps, depends_on }: FeatureFields): Feature {
  const changed: Feature = {
    ...entry,
    // Checked with the whole list.
    ...(category === undefined ? {} : { category: category as Feature['category'] }),
    ...(description === undefined ? {} : { description }),
    ...(steps === undefined ? {} : { steps }),
    ...(depends_on === undefined ? {} : { depends_on }),
  };
  if (changed.depends_on?.length === 0) delete changed.depends_on;
  return changed;
}

/** The next free id in the manner of the list: `F-012` after `F-011`. */
function nextId(list: FeatureList, used: ReadonlySet<string>): string {
  const ids = [...list.map(entry => entry.id), ...used];
  const numbered = ids.flatMap(id => {
    const match = /^(.*?)(\d+)$/.exec(id);
    return match ? [{ prefix: match[1] ?? '', digits: match[2] ?? '' }] : [];
  });
  const prefix = numbered[0]?.prefix ?? 'F-';
  const alike = numbered.filter(each => each.prefix === prefix);
  const width = Math.max(3, ...alike.map(each => each.digits.length));
  const highest = Math.max(0, ...alike.map(each => Number(each.digits)));
  return `${prefix}${String(highest + 1).padStart(width, '0')}`;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? []) === JSON.stringify(b ?? []);
}
