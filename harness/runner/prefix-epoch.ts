// Prefix epochs: between two records all sessions begin with the same bytes, so what the API cached of them stays good.

import { createHash } from 'node:crypto';
import { packageVersion } from '../base/package-root.js';
import type { PrefixCause } from '../journal/records.js';
import type { PrefixEpoch, RunState } from '../journal/run-state.js';
import type { RunDeps } from './run-deps.js';
import { type SessionPrefix, sessionPrefix } from './session-prefix.js';

/** Records that another prefix begins, if one does. Only between sessions. */
export function beginEpoch({ journal, settings, acceptedTypes }: RunDeps): void {
  const now = epochOf(sessionPrefix(acceptedTypes), settings.model);
  const cause = causeOf(journal.state, now);
  if (cause) journal.append({ type: 'prefix.begin', cause, ...now, longhaul: packageVersion() });
}

export function epochOf({ system, tools }: SessionPrefix, model: string): PrefixEpoch {
  const sha256 = createHash('sha256').update(JSON.stringify({ model, system, tools })).digest('hex');
  return { sha256, model, tools: tools.map(tool => ('input_schema' in tool ? tool.name : tool.type)) };
}

/** Why the prefix is another one than before, or null when it is the same. */
export function causeOf(
  { prefix: before, sessions }: Pick<RunState, 'prefix' | 'sessions'>,
  now: PrefixEpoch,
): PrefixCause | null {
  // A run of a version that kept no such record had some prefix.
  if (before === null) return sessions === 0 ? 'first' : 'upgrade';
  if (before.sha256 === now.sha256) return null;
  if (before.model !== now.model) return 'model';
  return before.tools.join() === now.tools.join() ? 'upgrade' : 'tools';
}
