// Removes a folder that the agent filled, also when it holds folders that may not be written.

import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError, messageOf, systemCode } from '../base/errors.js';

/** The last processes may have written into it a moment ago. */
const RETRIES = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;

export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, RETRIES).catch(async error => {
      // Package managers keep their caches read-only (Go's modules).
      if (systemCode(error) !== 'EACCES' && systemCode(error) !== 'EPERM') throw error;
      await makeWritable(folder);
      await rm(folder, RETRIES);
    });
  } catch (cause) {
    throw new LonghaulError(
      'disk',
      `${folder} could not be removed (${messageOf(cause)}); remove it by hand.`,
      {
        cause,
      },
    );
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  }
}
