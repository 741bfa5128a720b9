// features.json: its shape, reading it with sentences that help, writing it always in one layout. Pure.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { packageRoot } from '../base/package-root.js';

/** One end-to-end scenario; `templates/features.schema.json` is the schema. */
export interface Feature {
  id: string;
  category: 'functional' | 'style' | 'accessibility' | 'performance' | 'security';
  description: string;
  steps: string[];
  passes: boolean;
  depends_on?: string[];
}

/** In order of priority. */
export type FeatureList = readonly Feature[];

export type ParsedList = { ok: true; list: FeatureList } | { ok: false; problems: string[] };

const validate = new Ajv2020({ allErrors: true, strict: true }).compile<Feature[]>(
  JSON.parse(readFileSync(join(packageRoot, 'templates', 'features.schema.json'), 'utf8')),
);

/** At most this many sentences: a model mends the first few and asks again. */
const MOST_PROBLEMS = 12;

/** Parses and checks the text of features.json. Every problem is a sentence that names the entry. Never throws. */
export function parseFeatureList(text: string): ParsedList {
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { ok: false, problems: [`features.json is not JSON: ${describeSyntax(text, error)}.`] };
  }
  const list = validate(data) ? data : null;
  const errors = list ? [] : (validate.errors ?? []).map(error => describeSchemaError(error, data));
  // What can be said of the entries is said at once, so that one round mends all.
  const entries = list ?? entriesWithIds(data);
  const problems = [...new Set([...errors, ...duplicateIds(entries), ...badDependencies(entries)])];
  return list && problems.length === 0 ? { ok: true, list } : { ok: false, problems: shorten(problems) };
}

/** The one layout in which the harness writes the list: a diff of a flip is a single line. */
export function formatFeatureList(list: FeatureList): string {
  return `${JSON.stringify(list, null, 2)}\n`;
}

/** The same list with one entry passing. @throws if there is no such entry: callers hold an id of this list. */
export function withPass(list: FeatureList, id: string): Feature[] {
  if (!list.some(feature => feature.id === id)) throw new Error(`no feature ${id} in the list`);
  return list.map(feature => (feature.id === id ? { ...feature, passes: true } : feature));
}

/** The entries of a list that does not fit the schema, as far as they can be compared. */
function entriesWithIds(data: unknown): Pick<Feature, 'id' | 'depends_on'>[] {
  if (!Array.isArray(data)) return [];
  return data.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('id' in entry) || typeof entry.id !== 'string')
      return [];
    const needs = 'depends_on' in entry && Array.isArray(entry.depends_on) ? entry.depends_on : [];
    return [{ id: entry.id, depends_on: needs.filter((id): id is string => typeof id === 'string') }];
  });
}

function describeSyntax(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const position = /position (\d+)/.exec(message);
  if (!position) return message;
  const lines = text.slice(0, Number(position[1])).split('\n');
  return `${message.replace(/ in JSON.*$/s, '')} at line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

function describeSchemaError(error: ErrorObject, data: unknown): string {
  const [, index, ...rest] = error.instancePath.split('/');
  if (index === undefined || index === '') return `features.json ${error.message ?? 'has the wrong shape'}.`;
  const entry = Array.isArray(data) ? data[Number(index)] : undefined;
  const id = entry && typeof entry === 'object' && 'id' in entry ? ` (${String(entry.id).slice(0, 64)})` : '';
  const field = rest.length > 0 ? `, field ${rest.join('.')}` : '';
  const allowed = error.keyword === 'enum' ? `: ${(error.params.allowedValues as string[]).join(', ')}` : '';
  const extra = error.keyword === 'additionalProperties' ? `: ${error.params.additionalProperty}` : '';
  return `Entry ${Number(index) + 1}${id}${field} ${error.message}${allowed}${extra}.`;
}

/** Case does not count: ids become file names, and some file systems fold case. */
function duplicateIds(list: readonly Pick<Feature, 'id'>[]): string[] {
  const seen = new Map<string, number>();
  return list.flatMap(({ id }, index) => {
    const first = seen.get(id.toLowerCase());
    if (first !== undefined) return [`Entries ${first + 1} and ${index + 1} have the same id ${id}.`];
    seen.set(id.toLowerCase(), index);
    return [];
  });
}

function badDependencies(list: readonly Pick<Feature, 'id' | 'depends_on'>[]): string[] {
  const byId = new Map(list.map(feature => [feature.id, feature]));
  const unknown = list.flatMap(feature =>
    (feature.depends_on ?? [])
      .filter(id => !byId.has(id))
      .map(id => `${feature.id} depends on ${id}, which is not in the list.`),
  );
  if (unknown.length > 0) return unknown;
  const done = new Set<string>();
  const path: string[] = [];
  const findCycle = (id: string): string[] | null => {
    if (done.has(id)) return null;
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    path.push(id);
    for (const next of byId.get(id)?.depends_on ?? []) {
      const cycle = findCycle(next);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(id);
    return null;
  };
  for (const { id } of list) {
    const cycle = findCycle(id);
    if (cycle) return [`depends_on goes in a circle: ${cycle.join(' -> ')}.`];
  }
  return [];
}

function shorten(problems: string[]): string[] {
  if (problems.length <= MOST_PROBLEMS) return problems;
  return [...problems.slice(0, MOST_PROBLEMS), `… and ${problems.length - MOST_PROBLEMS} more problems.`];
}
