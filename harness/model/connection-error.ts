// What a failed connection says of itself: whether anything was sent, and what really went wrong.

import { messageOf } from '../base/errors.js';
import { isRecord } from './is-record.js';

/** Errors of connecting: nothing was sent, so nothing can be billed. */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|\w+_CERT\w*|\w*UNABLE_TO_\w+|HOSTNAME_MISMATCH)$/;

/** True when an error, or what caused it, says that no connection was made. */
export function neverConnected(error: unknown): boolean {
  return causes(error).some(
    cause =>
      isRecord(cause) &&
      ((typeof cause.code === 'string' && NEVER_CONNECTED.test(cause.code)) ||
        cause.syscall === 'connect' ||
        // A port that fetch never opens.
        cause.message === 'bad port' ||
        // The other side hung up inside the TLS handshake: the only reset that names the host it went to.
        (cause.code === 'ECONNRESET' && typeof cause.host === 'string')),
  );
}

/** The innermost text of an error: "fetch failed" says nothing, its cause does. */
export function innermostText(error: unknown): string {
  return (
    causes(error)
      .map(messageOf)
      .findLast(text => text !== '') ?? 'unknown error'
  );
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < 8; next = causeOf(next)) {
    chain.push(next);
  }
  return chain;
}

function causeOf(error: unknown): unknown {
  if (error instanceof AggregateError) return error.errors[0];
  return error instanceof Error ? error.cause : undefined;
}
