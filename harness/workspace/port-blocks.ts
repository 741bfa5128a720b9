// Blocks of ten consecutive free ports on loopback. Two blocks that are held at the same time never overlap.

import { createServer } from 'node:net';
import { pid } from 'node:process';
import { LonghaulError, systemCode } from '../base/errors.js';
import type { PortBlock } from './room.js';

export const PORTS_IN_BLOCK = 10;
/** Below the ports that Linux and macOS hand out by themselves, above those that browsers refuse. */
const FIRST = 20_000;
const BLOCKS = 1_200;

const held = new Set<number>();
/** Another process of ours begins elsewhere, so that two seldom try the same block at once. */
let next = (pid * 37) % BLOCKS;

export async function leasePorts(): Promise<PortBlock> {
  for (let tried = 0; tried < BLOCKS; tried++) {
    const base = FIRST + next * PORTS_IN_BLOCK;
    next = (next + 1) % BLOCKS;
    if (held.has(base)) continue;
    held.add(base);
    if (await allFree(base)) return { base };
    held.delete(base);
  }
  throw new LonghaulError(
    'process',
    `No ten free ports in a row between ${FIRST} and ${FIRST + BLOCKS * PORTS_IN_BLOCK} on 127.0.0.1; end some servers.`,
  );
}

export function releasePorts({ base }: PortBlock): void {
  held.delete(base);
}

async function allFree(base: number): Promise<boolean> {
  for (let port = base; port < base + PORTS_IN_BLOCK; port++) {
    if (!(await isFree(port, '127.0.0.1')) || !(await isFree(port, '::1'))) return false;
  }
  return true;
}

/** A server on `localhost` may sit on either address. A machine without IPv6 has nobody there. */
function isFree(port: number, host: string): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', error => {
      const code = systemCode(error);
      resolve(code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT');
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
