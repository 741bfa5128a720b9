import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { leasePorts, PORTS_IN_BLOCK, releasePorts } from '../../harness/workspace/port-blocks.js';

test('blocks that are held at the same time never overlap', async () => {
  const blocks = await Promise.all(Array.from({ length: 5 }, () => leasePorts()));
  const bases = blocks.map(({ base }) => base).sort((a, b) => a - b);
  for (const [index, base] of bases.entries()) {
    if (index > 0) expect(base - (bases[index - 1] ?? 0)).toBeGreaterThanOrEqual(PORTS_IN_BLOCK);
  }
  for (const block of blocks) releasePorts(block);
});

test.each(['127.0.0.1', '::1', '0.0.0.0'])(
  'a block with a port that somebody uses on %s is passed over',
  async host => {
    const first = await leasePorts();
    releasePorts(first);
    const taken = first.base + PORTS_IN_BLOCK + 4;
    const server = createServer();
    const listens = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false));
      server.listen(taken, host, () => resolve(true));
    });
    if (!listens) return; // No IPv6 here.
    onTestFinished(() => void server.close());
    const next = await leasePorts();
    releasePorts(next);
    expect(taken < next.base || taken >= next.base + PORTS_IN_BLOCK).toBe(true);
  },
);
