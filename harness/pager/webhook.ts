// A page as a POST with JSON. Redirects are not followed: what is told goes to the host that the operator named.

import { messageOf } from '../base/errors.js';
import type { Channel, Delivery } from './channel.js';

export interface WebhookOptions {
  url: string;
  /** Of one try. */
  tryMs: number;
  fetch?: typeof fetch;
}

/** Refusals that may be gone a moment later; every other 4xx stays one. */
const PASSING_STATUS = new Set([408, 425, 429]);

export function webhook({ url, tryMs, fetch: post = fetch }: WebhookOptions): Channel {
  return {
    name: 'webhook',
    send: async (message, signal) => {
      try {
        const response = await post(url, {
          method: 'POST',
          redirect: 'manual',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(message),
          signal: AbortSignal.any([signal, AbortSignal.timeout(tryMs)]),
        });
        // What it says is not read: it may never end.
        void response.body?.cancel().catch(() => {});
        return judge(response.status, hostOf(response.headers.get('location'), url));
      } catch (error) {
        return { ok: false, error: describe(error, tryMs), again: true };
      }
    },
  };
}

function judge(status: number, redirectsTo: string | null): Delivery {
  if (status >= 200 && status < 300) return { ok: true };
  if (redirectsTo !== null) {
    return {
      ok: false,
      error: `HTTP ${status}: it redirects to ${redirectsTo}; name the final address`,
      again: false,
    };
  }
  return { ok: false, error: `HTTP ${status}`, again: status >= 500 || PASSING_STATUS.has(status) };
}

/** The rest of an address may hold a token. */
function hostOf(location: string | null, base: string): string | null {
  if (location === null) return null;
  try {
    return new URL(location, base).host;
  } catch {
    return 'what is no address';
  }
}

/** What fetch throws says "fetch failed"; what failed is in its cause. */
function describe(error: unknown, tryMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${tryMs / 1_000} s`;
  if (error instanceof Error && error.name === 'AbortError') return 'no answer in the time that pages have';
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause instanceof Error ? cause : error);
}
