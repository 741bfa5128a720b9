// Saves what a page downloads, up to a size, and says where it is.

import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Download } from 'playwright';
import { messageOf, systemCode } from '../base/errors.js';

const MOST_BYTES = 20 * 1024 * 1024;
const NAME_CHARACTERS = 100;

/** Returns a line about it; never rejects. */
export async function saveDownload(download: Download, folder: string): Promise<string> {
  const name = download.suggestedFilename();
  const path = join(folder, safeName(name));
  const title = `Download ${JSON.stringify(name)}`;
  try {
    mkdirSync(folder, { recursive: true });
    const limit = byteLimit(MOST_BYTES);
    await pipeline(await download.createReadStream(), limit, createWriteStream(path, { flags: 'w' }));
    return `${title}: saved as ${path} (${limit.bytes} bytes).`;
  } catch (error) {
    await download.cancel().catch(() => {});
    rmSync(path, { force: true });
    if (systemCode(error) === 'EFBIG')
      return `${title}: not saved, it is larger than ${MOST_BYTES / 1024 / 1024} MB.`;
    return `${title}: failed (${messageOf(error)}).`;
  }
}

/** Without folders, and nothing that a file system may take amiss. */
function safeName(name: string): string {
  const plain = basename(name).replace(/[^\p{L}\p{N}._ -]/gu, '_');
  return plain.slice(-NAME_CHARACTERS).replace(/^\.+/, '') || 'download';
}

function byteLimit(most: number): Transform & { bytes: number } {
  const limit = Object.assign(
    new Transform({
      transform(chunk: Buffer, _, done) {
        limit.bytes += chunk.length;
        done(limit.bytes > most ? Object.assign(new Error('too large'), { code: 'EFBIG' }) : null, chunk);
      },
    }),
    { bytes: 0 },
  );
  return limit;
}
