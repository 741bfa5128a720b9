// One request on its way: what is known of it, its time limits, and what its failure means.

import type { Middleware } from '@anthropic-ai/sdk';
import type { Clock } from '../base/clock.js';
import { AnswerAssembly } from './assemble-answer.js';
import { announcedWaitMs, failureText, faultOf, readApiFailure } from './classify-error.js';
import { innermostText, neverConnected } from './connection-error.js';
import { ModelError, type PartialCall } from './model.js';
import { passedLimit, type StreamLimits } from './stream-watchdog.js';
import { watchedResponse } from './watched-response.js';

export interface AttemptOptions {
  apiKey: string;
  clock: Clock;
  /** Most bytes of an answer's stream; default 64 MiB, some hundred times the longest answer. */
  maxAnswerBytes?: number | undefined;
}

/** A refusal is a few lines; a proxy's page may be longer, and is not read to its end. */
const MAX_REFUSAL_BYTES = 2 ** 20;

export class Attempt {
  readonly answer = new AnswerAssembly();
  readonly clock: Clock;
  readonly #options: AttemptOptions;
  readonly #limits: StreamLimits;
  readonly #cut = new AbortController();
  #lastLifeMs: number;
  #handedOver = false;
  #fetchError: unknown;
  #status: number | undefined;
  #contentType = '';
  #passed: 'idle' | 'total' | undefined;

  constructor(options: AttemptOptions, limits: StreamLimits) {
    this.#options = options;
    this.#limits = limits;
    this.clock = options.clock;
    this.#lastLifeMs = this.clock.monotonic();
  }

  /** Runs `work` until it ends, the caller's signal aborts or a limit is passed, and rejects as `Model` promises. */
  async run<T>(
    signal: AbortSignal,
    onAborted: ((partial: PartialCall) => void) | undefined,
    work: (abort: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    this.#checkKey();
    const over = new AbortController();
    const abort = () => this.#cut.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    passedLimit(this.clock, this.#limits, () => this.#lastLifeMs, over.signal).then(
      limit => {
        this.#passed = limit;
        this.#cut.abort();
      },
      () => {},
    );
    try {
      return await unlessAborted(work(this.#cut.signal), this.#cut.signal);
    } catch (error) {
      if (!signal.aborted) throw this.#asModelError(error);
      onAborted?.({ ...this.#spent(), billable: this.#billable() });
      throw signal.reason;
    } finally {
      over.abort();
      signal.removeEventListener('abort', abort);
    }
  }

  /** What the SDK is told for this request: our signal, and a look at everything that comes in. */
  requestOptions(signal: AbortSignal): { signal: AbortSignal; middleware: Middleware[] } {
    const watch: Middleware = async (request, next) => {
      this.#handedOver = true;
      try {
        const response = await next(request);
        this.#status = response.status;
        this.#contentType = response.headers.get('content-type') ?? '';
        this.#lastLifeMs = this.clock.monotonic();
        return watchedResponse(response, {
          onBytes: () => {
            this.#lastLifeMs = this.clock.monotonic();
          },
          maxBytes: response.ok ? (this.#options.maxAnswerBytes ?? 64 * 2 ** 20) : MAX_REFUSAL_BYTES,
        });
      } catch (error) {
        this.#fetchError = error;
        throw error;
      }
    };
    return { signal, middleware: [watch] };
  }

  /** A key that cannot be a header makes fetch throw an error that quotes it. */
  #checkKey(): void {
    if (/^[\x21-\x7e]+$/.test(this.#options.apiKey)) return;
    throw new ModelError('auth', 'The API key is empty or holds characters that a key cannot have.');
  }

  #asModelError(error: unknown): ModelError {
    const failure = readApiFailure(error);
    const fault = this.#passed ? 'network' : failure ? faultOf(failure) : this.#faultWithoutFailure();
    return new ModelError(fault, this.#sentence(error), {
      status: failure?.status,
      retryAfterMs: failure ? announcedWaitMs(failure, fault, this.clock.now()) : undefined,
      ...this.#spent(),
      billable: this.#billable(error),
      cause: error,
    });
  }

  /** Nothing reached the network: the request itself cannot be sent, and trying again would not help. */
  #faultWithoutFailure(): 'network' | 'invalid' {
    return this.#handedOver ? 'network' : 'invalid';
  }

  #spent(): { usage: PartialCall['usage']; receivedBytes: number } {
    return { usage: this.answer.usage, receivedBytes: this.answer.receivedBytes };
  }

  /** False where it is certain that no tokens were made: not connected, refused, or answered by something else. */
  #billable(error?: unknown): boolean {
    if (this.answer.started) return true;
    if (!this.#handedOver || neverConnected(this.#fetchError)) return false;
    if (this.#status === undefined) return true;
    const refused = this.#status >= 400 || readApiFailure(error) !== undefined;
    return !refused && !/html/i.test(this.#contentType);
  }

  #sentence(error: unknown): string {
    const text = this.#describe(error);
    return text.replaceAll(this.#options.apiKey, '[API key]');
  }

  #describe(error: unknown): string {
    const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;
    if (this.#passed === 'idle') return `The API was silent for ${seconds(this.#limits.idleLimitMs)}.`;
    if (this.#passed === 'total') {
      return `The answer was not finished after ${seconds(this.#limits.totalLimitMs)}.`;
    }
    const failure = readApiFailure(error);
    if (failure) return failureText(failure);
    const text = innermostText(this.#fetchError ?? error);
    if (this.#status === undefined) return `No answer from the API: ${text}`;
    if (!/event-stream|json/.test(this.#contentType)) {
      return `What answered is not the API: HTTP ${this.#status}, ${this.#contentType || 'no content type'}`;
    }
    return `The answer broke off: ${text}`;
  }
}

/** `work`, or a rejection as soon as `signal` aborts, even if `work` does not notice. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  // One of the two loses; nobody else listens to it.
  work.catch(() => {});
  aborted.catch(() => {});
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
