// What to do about a failed request, read from what the API said: code first, then status, then type.

import type { ModelFault } from './model.js';
import { rateLimitResetMs, retryAfterMs } from './retry-after.js';

/** What the SDK's errors carry, from an HTTP answer or from an `error` event inside a stream. */
export interface ApiFailure {
  status: number | undefined;
  type: string | undefined;
  code: string | undefined;
  /** The API's own sentence; undefined when the answer was not the API's. */
  message: string | undefined;
  headers: Headers | undefined;
}

const BY_CODE: ReadonlyMap<string, ModelFault> = new Map<string, ModelFault>([
  ['enforced_spend_limit_reached', 'billing'],
  ['contract_spend_limit_reached', 'billing'],
  ['linked_organization_spend_limit_reached', 'billing'],
  ['linked_organization_billing_unavailable', 'billing'],
  ['organization_on_hold', 'auth'],
  ['organization_type_not_supported', 'auth'],
  ['cmek_key_disabled', 'auth'],
  ['cmek_key_network_blocked', 'auth'],
]);

const BY_STATUS: ReadonlyMap<number, ModelFault> = new Map<number, ModelFault>([
  [401, 'auth'],
  [402, 'billing'],
  [403, 'auth'],
  [404, 'model'],
  [407, 'auth'],
  [408, 'overloaded'],
  [409, 'overloaded'],
  [413, 'too_long'],
  [425, 'overloaded'],
  [429, 'rate_limit'],
  [499, 'overloaded'],
]);

const BY_TYPE: ReadonlyMap<string, ModelFault> = new Map<string, ModelFault>([
  ['authentication_error', 'auth'],
  ['permission_error', 'auth'],
  ['billing_error', 'billing'],
  ['not_found_error', 'model'],
  ['request_too_large', 'too_long'],
  ['rate_limit_error', 'rate_limit'],
  ['invalid_request_error', 'invalid'],
]);

/** The API tells these apart by its sentence only: they come as `invalid_request_error` or `rate_limit_error`. */
const ABOUT_MONEY = /credit balance|billing|spend(ing)? limit|specified API usage limit/i;
const ABOUT_LENGTH =
  /prompt is too long|exceeds? (the )?(model's )?(maximum )?context (limit|window|length)|request_too_large/i;
const MAY_BE_ABOUT_MONEY: ReadonlySet<ModelFault> = new Set<ModelFault>(['invalid', 'rate_limit', 'auth']);

/** The failure that the API told, or undefined when the error is none of the API's (a connection, a bug). */
export function readApiFailure(error: unknown): ApiFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status, type, errorCode, apiMessage, headers, error: body } = error as Partial<SdkError>;
  if (typeof status !== 'number' && body === undefined) return undefined;
  return {
    status: typeof status === 'number' ? status : undefined,
    type: typeof type === 'string' ? type : undefined,
    code: typeof errorCode === 'string' ? errorCode : undefined,
    message: typeof apiMessage === 'string' ? apiMessage : undefined,
    headers: headers instanceof Headers ? headers : undefined,
  };
}

interface SdkError {
  status: unknown;
  type: unknown;
  errorCode: unknown;
  apiMessage: unknown;
  headers: unknown;
  error: unknown;
}

export function faultOf(failure: ApiFailure): ModelFault {
  const byCode = BY_CODE.get(failure.code ?? '');
  if (byCode) return byCode;
  const fault = byStatusOrType(failure);
  const message = failure.message ?? '';
  if (MAY_BE_ABOUT_MONEY.has(fault) && ABOUT_MONEY.test(message)) return 'billing';
  if (fault === 'invalid' && ABOUT_LENGTH.test(message)) return 'too_long';
  return fault;
}

function byStatusOrType({ status, type }: ApiFailure): ModelFault {
  if (type === 'billing_error') return 'billing';
  if (status === undefined) return BY_TYPE.get(type ?? '') ?? 'overloaded';
  const known = BY_STATUS.get(status);
  if (known) return known;
  if (status >= 500) return 'overloaded';
  return status >= 400 ? 'invalid' : 'network';
}

/** The wait that was asked for. Rate-limit headers come with every answer, so they count only where a limit refused. */
export function announcedWaitMs(failure: ApiFailure, fault: ModelFault, nowMs: number): number | undefined {
  if (!failure.headers) return undefined;
  const said = retryAfterMs(failure.headers, nowMs);
  return said ?? (fault === 'rate_limit' ? rateLimitResetMs(failure.headers, nowMs) : undefined);
}

/** One line for people. What is not the API's (a proxy's HTML page) is named, not quoted. */
export function failureText(failure: ApiFailure): string {
  const said = failure.message?.replace(/\s+/g, ' ').trim().slice(0, 1000);
  if (said) return said;
  if (failure.type) return failure.type;
  return `HTTP ${failure.status} without an error message of the API`;
}
