// What `features` shows: the list with what the journal knows of each entry. Pure.

import { count } from '../base/amounts.js';
import type { Feature, FeatureList } from '../features/feature-list.js';
import type { FeatureState, RunState } from '../journal/run-state.js';
import { padColumns } from './columns.js';
import { block, type InkOptions, type Style } from './ink.js';

export interface FeatureRow {
  id: string;
  category: string;
  description: string;
  state: 'passes' | 'failing' | 'in work' | 'set aside';
  passes: boolean;
  /** Sessions that worked on it. */
  sessions: number;
  /** Of them, those since its last pass or a person's `resume` that count against it. */
  attempts: number;
  /** Failing features that it waits for: its `depends_on`, and what a session named as blocking it. */
  blockedBy: string[];
}

export interface FeaturesView {
  passed: number;
  total: number;
  setAside: number;
  features: FeatureRow[];
}

/** @param held somebody works on the run now. */
export function featuresView(list: FeatureList, state: RunState, held: boolean): FeaturesView {
  const features = list.map(feature => featureRow(feature, list, state, held));
  return {
    passed: features.filter(row => row.passes).length,
    total: features.length,
    setAside: features.filter(row => row.state === 'set aside').length,
    features,
  };
}

export function featureRow(feature: Feature, list: FeatureList, state: RunState, held: boolean): FeatureRow {
  const known = state.features.get(feature.id);
  return {
    id: feature.id,
    category: feature.category,
    description: feature.description,
    state: stateOf(feature, known, held && state.open?.feature === feature.id),
    passes: feature.passes,
    sessions: known?.history.length ?? 0,
    attempts: known?.attempts ?? 0,
    blockedBy: feature.passes ? [] : blockersOf(feature, known, list),
  };
}

/** As lines for a terminal. */
export function featuresLines(view: FeaturesView, ink: InkOptions): string[] {
  if (view.total === 0) return ['no features yet: the start is not accepted'];
  const aside = view.setAside > 0 ? `, ${view.setAside} set aside` : '';
  const head = block(
    { text: `${view.passed} of ${count(view.total, 'feature')} pass${aside}`, style: 'strong' },
    ink,
  );
  return [...head, ...view.features.flatMap(row => rowLines(row, ink))];
}

/** `2 sessions, 1 attempt since the last resume, waits for F-003`; empty when there is nothing to say. */
export function effortOf({ passes, sessions, attempts, blockedBy }: FeatureRow): string {
  const counted =
    passes || attempts === sessions || sessions === 0 ? '' : ` (${count(attempts, 'attempt')} counted)`;
  return [
    ...(sessions === 0 ? [] : [`${count(sessions, 'session')}${counted}`]),
    ...(blockedBy.length === 0 ? [] : [`waits for ${blockedBy.join(', ')}`]),
  ].join(', ');
}

export const STYLE_OF: Readonly<Record<FeatureRow['state'], Style>> = {
  passes: 'good',
  failing: 'none',
  'in work': 'strong',
  'set aside': 'doubtful',
};

const LABEL_WIDTH = 'set aside'.length;

function rowLines(row: FeatureRow, ink: InkOptions): string[] {
  const effort = effortOf(row);
  const rest = LABEL_WIDTH + 2;
  return [
    ...block(
      {
        indent: 1,
        label: padColumns(row.state, LABEL_WIDTH),
        text: `${row.id} ${row.description}`,
        style: STYLE_OF[row.state],
        rest,
      },
      ink,
    ),
    ...(effort === '' ? [] : block({ indent: rest, text: effort, style: 'faint', rest }, ink)),
  ];
}

function stateOf(feature: Feature, known: FeatureState | undefined, inWork: boolean): FeatureRow['state'] {
  if (feature.passes) return 'passes';
  if (inWork) return 'in work';
  return known?.setAside ? 'set aside' : 'failing';
}

function blockersOf(feature: Feature, known: FeatureState | undefined, list: FeatureList): string[] {
  const failing = new Set(list.flatMap(other => (other.passes ? [] : [other.id])));
  return [...new Set([...(feature.depends_on ?? []), ...(known?.blockedBy ?? [])])].filter(id =>
    failing.has(id),
  );
}
