// Names of records as words for people.

import type { JournalRecord, SessionOutcome, Verdict } from '../journal/records.js';

/** `turn_limit` is `turn limit`: names of reasons stay what they are in records, and become words for people. */
export function inWords(name: string): string {
  return name.replace(/[._]/g, ' ');
}

/** What a session is about: `F-001 Quotes are shown`, or the title alone. */
export function topic({ feature, title }: { feature: string | null; title: string }): string {
  return `${feature ?? ''} ${title}`.trim();
}

/** How a session ended: by what it said of itself where it said more than that it is over. */
export function endInWords(
  reason: string,
  outcome: SessionOutcome | null,
  blockedBy: readonly string[] = [],
): string {
  switch (outcome) {
    case 'blocked':
      return `blocked${blockedBy.length > 0 ? ` by ${blockedBy.join(', ')}` : ''}`;
    case 'unfinished':
      return 'left unfinished';
    case 'needs_person':
      return 'needs a person';
    case 'not_a_web_app':
      return 'not a web app';
    default:
      return inWords(reason);
  }
}

type PrefixBegin = Extract<JournalRecord, { type: 'prefix.begin' }>;

/** That the bytes are others with which all sessions begin; null for a run's first, which is no news. */
export function epochSentence({ cause, model, tools, longhaul }: PrefixBegin): string | null {
  if (cause === 'first') return null;
  const why = {
    model: `the model is now ${model}`,
    tools: `the tools are now ${tools.join(', ')}`,
    upgrade: `Longhaul's own texts have changed (now ${longhaul})`,
  }[cause];
  return `a new prefix of all sessions: ${why}; the API caches it anew`;
}

/** `broken` is the proof, not the app: it could not be run, or is not bound to its steps. */
export function verdictInWords(verdict: Verdict): string {
  return verdict === 'broken' ? 'no proof' : verdict;
}
