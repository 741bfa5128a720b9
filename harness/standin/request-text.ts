// From the bytes of a request's body to its value: valid UTF-8, valid JSON, whole characters.

import { isUtf8 } from 'node:buffer';
import { messageOf } from '../base/errors.js';
import { type ApiError, apiError } from './api-error.js';

const LARGEST_BODY_BYTES = 32 * 1024 * 1024;

export type ReadBody = { value: unknown } | { error: ApiError };

export function readBodyText(bytes: Buffer): ReadBody {
  if (bytes.length > LARGEST_BODY_BYTES) {
    return { error: apiError('request_too_large', 'Request exceeds the maximum size') };
  }
  if (!isUtf8(bytes)) return notJson('the bytes are not valid UTF-8');
  const text = bytes.toString('utf8');
  const half = loneSurrogate(text);
  if (half !== undefined) {
    return notJson(`no whole surrogate pair in string: line 1 column ${half + 1} (char ${half})`);
  }
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return notJson(messageOf(error));
  }
}

function notJson(detail: string): ReadBody {
  return { error: apiError('invalid_request_error', `The request body is not valid JSON: ${detail}`) };
}

/** Where JSON text has an escaped half of a surrogate pair without its other half. */
function loneSurrogate(json: string): number | undefined {
  let high: number | undefined;
  for (const match of json.matchAll(/\\(?:u([0-9a-fA-F]{4})|.)/gs)) {
    const unit = Number.parseInt(match[1] ?? '0', 16);
    const follows = high !== undefined && match.index === high + 6;
    const low = unit >= 0xdc00 && unit <= 0xdfff;
    if (high !== undefined && !(follows && low)) return high;
    if (low && high === undefined) return match.index;
    high = unit >= 0xd800 && unit <= 0xdbff ? match.index : undefined;
  }
  return high;
}
