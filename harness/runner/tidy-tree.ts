// After a session, ended or cut off: HEAD where it belongs, the list as it was, notes committed, unfinished work saved.
// Nothing is lost: what is taken off the branch or out of the work tree lies in a ref, and the next brief names it.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TEMPORARY_FILE } from '../base/atomic-file.js';
import { normalizeNotes, notesProblem } from '../context/notes.js';
import { type App, PROGRESS_FILE } from '../workspace/app.js';
import { commitPlan, deriveFiles } from '../workspace/commit.js';
import { restoreCommittedInit, restoreInit } from '../workspace/init-guard.js';
import { readCanonicalList, restoreCommittedList, restoreList } from '../workspace/list-guard.js';
import { restoreCommittedSpec, restoreSpec } from '../workspace/spec-guard.js';
import { knownInit, type RunDeps } from './run-deps.js';

export interface Tidied {
  /** Ref with the unfinished files, or null when the tree was clean. */
  salvage: string | null;
  /** Sentences on what was put right. */
  did: string[];
}

export interface TidyOptions {
  session: number;
  /** The session's feature, for the commit's subject. */
  feature: string | null;
  /** HEAD at the session's begin: what comes after must descend from it. */
  base: string;
  /** Whether unfinished work may be committed as it lies; asked only when there is some. */
  isSound(): Promise<boolean>;
}

export async function tidyTree(deps: RunDeps, options: TidyOptions): Promise<Tidied> {
  const { session, base } = options;
  const did = await putHeadRight(deps, session, base);
  const { app, journal, branch } = deps;
  const lastCommit = journal.state.lastCommit;
  if (lastCommit !== null) {
    const canonical = await readCanonicalList(app, lastCommit);
    const found = restoreList(app, journal, canonical, session);
    if (found) did.push(`features.json was put back (${found})`);
    const committed = await restoreCommittedList(
      { app, journal, branch, now: deps.clock.now() },
      canonical,
      session,
    );
    if (committed) did.push('a commit had changed features.json; a commit on top put it back');
    const onDisk = restoreSpec(deps, canonical, session);
    const inCommit = await restoreCommittedSpec(
      { app, journal, branch, now: deps.clock.now() },
      canonical,
      session,
    );
    if (onDisk || inCommit) did.push('app_spec.md was put back: only a person changes it');
    did.push(...(await putInitBack(deps, { listText: canonical.text, base, session })));
  }
  await commitNotes(deps, session);
  await removeLeftovers(app);
  const unfinished = shorten(await app.git.dirtyFiles());
  const wip = await commitUnfinished(deps, options);
  if (wip)
    did.push(
      `unfinished work is committed as ${wip.slice(0, 7)}, not verified: the app comes up and no spec that passed broke; files: ${unfinished}`,
    );
  const salvage = await saveUnfinished(deps, session);
  if (salvage) did.push(`files put aside: ${unfinished}; the notes may speak of them`);
  return { salvage, did };
}

function shorten(paths: readonly string[]): string {
  return `${paths.slice(0, 6).join(', ')}${paths.length > 6 ? ', …' : ''}`;
}

/** An init.sh that is gone, on disk or in a commit, comes back. Also after what a person did between sessions. */
export async function putInitBack(
  deps: RunDeps,
  { listText, base, session }: { listText: string; base: string; session: number | null },
): Promise<string[]> {
  const { app, journal, branch, clock } = deps;
  const known = knownInit(deps, base);
  const inCommit = await restoreCommittedInit(
    { app, journal, branch, now: clock.now() },
    { known, listText, session },
  );
  const onDisk = await restoreInit(deps, known, session);
  if (inCommit) return [`init.sh was put back by a commit on top (in a commit: ${inCommit})`];
  return onDisk ? [`init.sh was put back (${onDisk})`] : [];
}

/** HEAD on the run's branch, and the branch on a descendant of where the session began. */
async function putHeadRight({ app, branch }: RunDeps, session: number, base: string): Promise<string[]> {
  const { git } = app;
  const did: string[] = [];
  const now = await git.branch();
  if (now !== branch) {
    const ref = `refs/longhaul/salvage/${session}-head`;
    await git.updateRef(ref, await git.head());
    await git.attachHead(branch);
    did.push(
      `HEAD was ${now === null ? 'detached' : `on ${now}`}; it is on ${branch} again, the other commits are in ${ref}`,
    );
  }
  const head = await git.head();
  if (head !== base && !(await git.isAncestor(base, head))) {
    const ref = `refs/longhaul/salvage/${session}-branch`;
    if (head !== '') await git.updateRef(ref, head);
    await git.updateRef(`refs/heads/${branch}`, base);
    did.push(
      `${branch} no longer held the commits from before the session; it is back at ${base.slice(0, 7)}, the other history is in ${ref}`,
    );
  }
  // A `reset` or `checkout` of the agent may have left the index elsewhere; files on disk stay.
  await git.resetIndex('HEAD');
  return did;
}

/** claude-progress.txt is committed at every end, also without a pass. Notes that are too long stay unfinished files. */
async function commitNotes(deps: RunDeps, session: number): Promise<void> {
  const { app, journal, branch, clock } = deps;
  const path = join(app.root, PROGRESS_FILE);
  if (!existsSync(path)) return;
  const raw = readFileSync(path, 'utf8');
  const head = await app.git.head();
  if (notesProblem(raw) !== null || raw === (await app.git.readFile(head, PROGRESS_FILE))) return;
  const content = normalizeNotes(raw);
  const tree = await app.git.patchTree(head, [{ path: PROGRESS_FILE, content }]);
  const message = `Notes of session ${session}\n\nLonghaul-Session: ${session}\n`;
  await commitPlan(
    { app, journal, branch },
    { base: head, tree, dateMs: clock.now(), message },
    { kind: 'notes' },
    session,
  );
}

/** Temporary files of writes that were cut off. */
async function removeLeftovers({ git, root }: App): Promise<void> {
  for (const path of await git.dirtyFiles()) {
    if (TEMPORARY_FILE.test(basename(path))) rmSync(join(root, path), { force: true });
  }
}

/** Sound work goes onto the branch, so that the next attempt goes on from it. Returns the commit, or null. */
async function commitUnfinished(
  deps: RunDeps,
  { session, feature, isSound }: TidyOptions,
): Promise<string | null> {
  const { app, journal, branch, clock } = deps;
  if (feature === null || (await app.git.dirtyFiles()).length === 0) return null;
  const before = await app.git.writeTree();
  if (!before.ok || !(await isSound())) return null;
  const after = await app.git.writeTree();
  if (!after.ok || after.tree !== before.tree) return null;
  const message = `wip ${feature} (not verified)\n\nLonghaul-Session: ${session}\n`;
  const plan = { base: await app.git.head(), tree: before.tree, dateMs: clock.now(), message };
  const outcome = await commitPlan({ app, journal, branch }, plan, { kind: 'wip' }, session);
  return outcome.done ? outcome.commit : null;
}

/** Saves everything that HEAD does not have under a ref and puts the work tree back to HEAD. */
async function saveUnfinished({ app, clock }: RunDeps, session: number): Promise<string | null> {
  if ((await app.git.dirtyFiles()).length === 0) return null;
  const tree = await writeWholeTree(app, session);
  const base = await app.git.head();
  const commit = await app.git.commitTree({
    base,
    tree,
    dateMs: clock.now(),
    message: `Unfinished files of session ${session}\n`,
  });
  const ref = `refs/longhaul/salvage/${session}`;
  await app.git.updateRef(ref, commit);
  await app.git.resetWorkTree();
  await deriveFiles(app, base);
  return ref;
}

/** As `writeTree`; repositories inside the app are made plain folders first, their git folders kept in our state. */
async function writeWholeTree(app: App, session: number): Promise<string> {
  const first = await app.git.writeTree();
  if (first.ok) return first.tree;
  const kept = join(app.state, 'salvage', String(session));
  mkdirSync(kept, { recursive: true });
  for (const path of first.nested) {
    const inner = join(app.root, path, '.git');
    if (existsSync(inner)) renameSync(inner, join(kept, `${path.replaceAll('/', '%')}.git`));
  }
  const second = await app.git.writeTree();
  if (second.ok) return second.tree;
  throw new Error(`git still sees repositories inside the app: ${second.nested.join(', ')}`);
}
