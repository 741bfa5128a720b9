// What a page says: enough to act on a phone at night, at most 4 KB, without secrets. Pure.

import { dollars } from '../base/amounts.js';
import { oneLine } from '../base/cut-text.js';
import { terminalText } from '../base/terminal-text.js';
import type { FeatureList } from '../features/feature-list.js';
import { passedCount, type RunState } from '../journal/run-state.js';
import type { Rest } from './cause.js';

/** The body of a webhook, as it is. */
export interface PageMessage {
  title: string;
  text: string;
  reason: string;
  /** Id of the feature that is in trouble, or null. */
  feature: string | null;
  sessions: number;
  spentUsd: number;
  budgetUsd: number;
  /** The command that goes on. */
  next: string;
  project: string;
  /** Names the cause; a receiver that saw it before may drop the message. */
  key: string;
}

export interface MessageFacts {
  rest: Rest;
  key: string;
  state: RunState;
  list: FeatureList | null;
  project: string;
  next: string;
  at: number;
  redact: (text: string) => string;
}

export const MOST_MESSAGE_BYTES = 4_096;

/** Bytes for what a run supplies; halved until the whole fits, since JSON may write a character as six. */
const FIELD_BYTES = { detail: 600, description: 300, verdict: 800, project: 80, next: 900 };

const IN_WORDS: Readonly<Record<string, string>> = {
  done: 'Every feature passes',
  stuck: 'It is stuck',
  budget: 'The money is used up',
  session_limit: 'All its sessions are used',
  needs_person: 'It needs a person',
  init_failed: 'It found no start to build on',
  refused: 'The spec cannot be built',
  damage: 'What is on disk contradicts itself',
};

export function pageMessage(facts: MessageFacts): PageMessage {
  for (let share = 1; ; share /= 2) {
    const message = compose(facts, share);
    if (Buffer.byteLength(JSON.stringify(message)) <= MOST_MESSAGE_BYTES || share < 1 / 64) return message;
  }
}

function compose(facts: MessageFacts, share: number): PageMessage {
  const { rest, key, state, list, at } = facts;
  // Secrets first, then the cut: of half a secret nobody can tell any more that it is one.
  const told = (text: string, bytes: number) =>
    oneLine(facts.redact(terminalText(text.toWellFormed())), Math.floor(bytes * share));
  const project = told(facts.project, FIELD_BYTES.project);
  const next = oneLine(facts.redact(facts.next), FIELD_BYTES.next);
  const passed = `${passedCount(state)} of ${state.total} features pass`;
  const detail = told(rest.detail, FIELD_BYTES.detail);
  const feature = rest.reason === 'done' ? null : featureInTrouble(state);
  const description = list?.find(entry => entry.id === feature)?.description ?? '';
  const red = feature === null ? undefined : lastFailure(state, feature);
  const left = Math.max(state.budgetUsd - state.spentUsd, 0);
  const sentences = [
    `${project}: ${IN_WORDS[rest.reason] ?? rest.reason.replaceAll('_', ' ')}${detail === '' ? '' : ` (${detail})`}.`,
    ...(feature === null ? [] : [`Feature ${feature}: ${told(description, FIELD_BYTES.description)}`]),
    ...(feature === null ? [] : [attemptsOf(state, feature)]),
    ...(red === undefined
      ? []
      : [`Last failing verification (${red.verdict}): ${told(red.summary, FIELD_BYTES.verdict)}`]),
    `${passed}; ${many(state.sessions, 'session')} used; ${dollars(state.spentUsd)} spent${state.simulated ? ' (simulated)' : ''}, $${left.toFixed(2)} of $${state.budgetUsd.toFixed(2)} left.`,
    `${rest.reason === 'done' ? 'To look at it' : 'To go on'}: ${next}`,
    `Since ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
  ];
  return {
    title: `${project}: ${rest.reason.replaceAll('_', ' ')}, ${passed}`,
    text: sentences.join('\n'),
    reason: rest.reason,
    feature,
    sessions: state.sessions,
    spentUsd: Math.round(state.spentUsd * 1e6) / 1e6,
    budgetUsd: state.budgetUsd,
    next,
    project,
    key,
  };
}

/** The failing one that was worked on last, else the first that failed at all. */
function featureInTrouble(state: RunState): string | null {
  const last = state.lastSession?.feature ?? null;
  if (last !== null && state.features.get(last)?.passed === false) return last;
  for (const [id, feature] of state.features) if (!feature.passed && feature.history.length > 0) return id;
  return null;
}

function lastFailure(state: RunState, feature: string) {
  return state.features
    .get(feature)
    ?.history.flatMap(({ verdicts }) => verdicts)
    .findLast(({ verdict }) => verdict !== 'green');
}

function attemptsOf(state: RunState, feature: string): string {
  const known = state.features.get(feature);
  return `${many(known?.history.length ?? 0, 'attempt')} so far${known?.setAside ? ', set aside' : ''}.`;
}

function many(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
