// An HTTP answer whose body is looked at while it streams: signs of life, size, and whether it is UTF-8.

import type { Transformer } from 'node:stream/web';

export interface BodyWatch {
  onBytes(): void;
  /** Most bytes after decompression; a body that goes on is cut with an error. */
  maxBytes: number;
}

export function watchedResponse(response: Response, watch: BodyWatch): Response {
  if (!response.body) return response;
  const body = response.body.pipeThrough(new TransformStream(bodyChecks(watch)));
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function bodyChecks({ onBytes, maxBytes }: BodyWatch): Transformer<Uint8Array, Uint8Array> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  return {
    transform(chunk, controller) {
      onBytes();
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
      // Decoded only to be checked: a broken character would silently change a command that is to be run.
      utf8.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
  };
}
