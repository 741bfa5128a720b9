// One way to reach a person.

import type { PageMessage } from './page-message.js';

export interface Channel {
  readonly name: string;
  /** Never rejects. Over soon after the signal aborts. */
  send(message: PageMessage, signal: AbortSignal): Promise<Delivery>;
}

export type Delivery =
  | { ok: true }
  /** `again`: the same message may get through in a moment. */
  | { ok: false; error: string; again: boolean };
