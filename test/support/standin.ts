// A stand-in for one test: started on a free port, closed when the test is over.

import { onTestFinished } from 'vitest';
import type { Scenario } from '../../harness/standin/scenario.js';
import { type Play, scripted } from '../../harness/standin/scripted.js';
import { type Standin, type StandinOptions, startStandin } from '../../harness/standin/server.js';

/** Starts a stand-in that plays a scenario, or a function as one. Call it inside a test. */
export async function standinFor(
  play: Scenario | Play,
  options: Omit<StandinOptions, 'scenario'> = {},
): Promise<Standin> {
  const scenario = typeof play === 'function' ? scripted('test', play) : play;
  const standin = await startStandin({ scenario, ...options });
  onTestFinished(() => standin.close());
  return standin;
}
