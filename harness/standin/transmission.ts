// What goes over the wire, step by step: bytes, pauses, and the way it ends.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { Cut } from './scenario.js';

export type Step =
  | { kind: 'send'; bytes: Buffer }
  | { kind: 'pause'; ms: number }
  /** Says how the body ends; without it, cleanly. */
  | { kind: 'end'; how: Cut['how'] };

export const send = (text: string): Step => ({ kind: 'send', bytes: Buffer.from(text) });

/** The steps up to the cut, which may fall inside a character. */
export function cutSteps(steps: readonly Step[], cut: Cut): Step[] {
  const kept: Step[] = [];
  let left = cut.afterBytes;
  for (const step of steps) {
    if (step.kind === 'end' || (step.kind === 'send' && step.bytes.length > left)) {
      if (step.kind === 'send') kept.push({ kind: 'send', bytes: step.bytes.subarray(0, left) });
      break;
    }
    kept.push(step);
    if (step.kind === 'send') left -= step.bytes.length;
  }
  return [...kept, { kind: 'end', how: cut.how }];
}

/**
 * Plays the steps on an answer whose head is written. Resolves with the bytes that were sent, as soon as no more will be:
 * at the end, at the start of a silence, or when the other side has gone or `signal` aborts.
 */
export async function transmit(
  response: ServerResponse,
  steps: readonly Step[],
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Buffer> {
  const sent: Buffer[] = [];
  for (const step of steps) {
    if (step.kind === 'end') {
      finish(response, step.how);
      return Buffer.concat(sent);
    }
    const played =
      step.kind === 'send' ? await write(response, step.bytes) : await pause(step.ms, clock, signal);
    if (!played) return Buffer.concat(sent);
    if (step.kind === 'send') sent.push(step.bytes);
  }
  finish(response, 'close');
  return Buffer.concat(sent);
}

/** Waits; false when the signal ended the wait. */
export async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch {
    return false;
  }
}

function finish(response: ServerResponse, how: Cut['how']): void {
  if (how === 'close') response.end();
  // A body without its last chunk is broken off for the client. A TCP reset would be too, but it overtakes the bytes
  // that the client has not read yet, and how many those are differs from run to run.
  if (how === 'reset') response.socket?.destroy();
}

/** Resolves when the bytes have left, so that a dropped connection does not take them back; false when they could not. */
function write(response: ServerResponse, bytes: Buffer): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  if (bytes.length === 0) return Promise.resolve(true);
  return new Promise(resolve => {
    const gone = () => resolve(false);
    response.once('close', gone);
    response.write(bytes, error => {
      response.removeListener('close', gone);
      resolve(!error);
    });
  });
}
