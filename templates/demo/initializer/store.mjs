// The board on disk: one JSON file that is either the old board or the new one, never half of each.

import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { firstBoard } from './board.mjs';

export function openStore(folder) {
  const file = join(folder, 'board.json');

  async function load() {
    try {
      return JSON.parse(await readFile(file, 'utf8'));
    } catch (error) {
      if (error.code === 'ENOENT') return firstBoard();
      throw error;
    }
  }

  /** Written beside the file, forced to disk, then renamed over it: a power cut leaves one whole board. */
  async function save(board) {
    await mkdir(folder, { recursive: true });
    const draft = await open(`${file}.new`, 'w');
    try {
      await draft.writeFile(JSON.stringify(board, null, 2));
      await draft.sync();
    } finally {
      await draft.close();
    }
    await rename(`${file}.new`, file);
  }

  return { load, save };
}
