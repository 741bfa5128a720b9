// What a person reads before a build goes on: features by category, stack, programs, open questions, a rough price. Pure.

import type { FeatureList } from '../features/feature-list.js';
import type { Plan } from '../journal/records.js';

export interface PlanFacts {
  list: FeatureList;
  plan: Plan;
  /** Of `plan.programs`, those that are not on this machine. */
  missingPrograms: string[];
  /** USD for one feature, from a simple one to one that needs a second session. */
  usdPerFeature: { low: number; high: number };
  simulated: boolean;
}

/** USD per million tokens of the kinds that a session uses. */
export interface SessionPrices {
  cacheRead: number;
  cacheWrite: number;
  output: number;
}

/**
 * Assumptions behind the range, to be replaced by what the run itself measures: turns of the sessions of one feature,
 * mean tokens read from the cache, newly written and answered in a turn.
 */
const EASY = { turns: 16, read: 12_000, written: 2_000, answered: 400 };
const HARD = { turns: 110, read: 40_000, written: 2_000, answered: 700 };

export function usdPerFeature(prices: SessionPrices): PlanFacts['usdPerFeature'] {
  const cost = ({ turns, read, written, answered }: typeof EASY) =>
    (turns * (read * prices.cacheRead + written * prices.cacheWrite + answered * prices.output)) / 1e6;
  return { low: cost(EASY), high: cost(HARD) };
}

export function describePlan({
  list,
  plan,
  missingPrograms,
  usdPerFeature: usd,
  simulated,
}: PlanFacts): string {
  const categories = [...new Set(list.map(feature => feature.category))];
  const features = categories.flatMap(category => {
    const own = list.filter(feature => feature.category === category);
    return [`${category} (${own.length})`, ...own.map(feature => `  ${feature.id} ${feature.description}`)];
  });
  const money = (value: number) => `$${value < 10 ? value.toFixed(2) : value.toFixed(0)}`;
  const programs = plan.programs.length === 0 ? 'none named' : plan.programs.join(', ');
  const missing =
    missingPrograms.length > 0 ? `\n  missing on this machine: ${missingPrograms.join(', ')}` : '';
  return [
    ...features,
    '',
    `stack: ${plan.stack || 'not said'}`,
    `programs: ${programs}${missing}`,
    ...(plan.questions.length > 0
      ? ['left open by the spec:', ...plan.questions.map(each => `  ${each}`)]
      : []),
    `estimate: ${money(usd.low * list.length)} to ${money(usd.high * list.length)}${simulated ? ' (simulated)' : ''}, ${list.length} to ${list.length * 2} sessions; rough, before anything is built`,
  ].join('\n');
}
