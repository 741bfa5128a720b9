// An app that has nothing: every address answers an empty page. A spec that is green here proves nothing.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BlankApp {
  url: string;
  close(): Promise<void>;
}

const EMPTY_PAGE = '<!doctype html><html><head><meta charset="utf-8"></head><body></body></html>\n';

/** Listens on loopback only, at a free port. */
export function startBlankApp(): Promise<BlankApp> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(EMPTY_PAGE);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () =>
          new Promise(closed => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}
