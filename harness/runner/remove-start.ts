// Takes back what an initializer wrote when the spec turned out to be none for us: a person's folder is as it was.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDeps } from './run-deps.js';

/** Everything is saved under refs/longhaul/salvage first; then only the files from before the run are left. */
export async function removeStart({ app, branch, clock, journal }: RunDeps): Promise<void> {
  const { git, root } = app;
  const head = await git.head();
  const written = await git.writeTree();
  if (written.ok) {
    const message = 'What the initializer wrote before it refused the spec\n';
    const saved = await git.commitTree({ base: head, tree: written.tree, dateMs: clock.now(), message });
    await git.updateRef('refs/longhaul/salvage/refused', saved);
  }
  const own = new Set([...journal.state.files, '.git']);
  for (const name of readdirSync(root))
    if (!own.has(name)) rmSync(join(root, name), { recursive: true, force: true });
  if (head !== '') await git.deleteBranch(branch);
  await git.emptyIndex();
}
