// Looks at a tab, remembers what was seen, and finds the elements that a caller names.

import type { Tab } from './agent-browser-tabs.js';
import { compareLines, describeChanges, linesOf } from './page-changes.js';
import { inTime } from './page-deadline.js';
import { type FoundElement, type FoundParts, searchElement, searchParts } from './page-search.js';
import type { SeenPage } from './page-seen.js';
import {
  countElements,
  MOST_ELEMENTS,
  type Places,
  takePart,
  takeParts,
  takeWhole,
} from './page-snapshot.js';
import { findByWords, matchWords, staleRef, type Target } from './page-target.js';
import { describeNode, type PageNode, renderTree, walkTree } from './page-tree.js';

/** When more of a page is new, it is told as a new one. */
const MOST_CHANGES = 25;
const TOO_BUSY = 'The page was too busy to be looked at. Read it.';
const NEW_PAGE_CHARACTERS = 3_500;

/** Looks anew. */
export async function lookAt(tab: Tab, timeout: number): Promise<SeenPage> {
  const document = tab.traffic.documents;
  const elements = await countElements(tab.page, timeout);
  const places: Places = new Map();
  if (elements > MOST_ELEMENTS) {
    const nodes = await takeParts(tab.page, places, timeout);
    tab.seen = { nodes, lines: null, document, elements, places };
  } else {
    const nodes = await takeWhole(tab.page, timeout);
    tab.seen = { nodes, lines: linesOf(nodes), document, elements, places };
  }
  return tab.seen;
}

/** Looks anew after an action: a new page as it is, of an old one what is different. */
export async function whatChanged(tab: Tab, timeout: number): Promise<string> {
  const before = tab.seen;
  const isNew = before?.document !== tab.traffic.documents;
  const elements = await countElements(tab.page, timeout).catch(() => null);
  if (elements === null) return TOO_BUSY;
  if (elements > MOST_ELEMENTS) {
    if (isNew) tab.seen = null;
    return `The page has ${elements.toLocaleString('en-US')} elements, too many to tell what changed. Read it.`;
  }
  const now = await lookAt(tab, timeout).catch(() => null);
  if (now === null) return TOO_BUSY;
  if (isNew || !before?.lines || !now.lines) return asPage(now);
  const changes = compareLines(before.lines, now.lines);
  const { gone, come } = changes;
  if (come.length > MOST_CHANGES && come.length > now.lines.length / 2) return asPage(now);
  const told = describeChanges(changes);
  if (told.length === 0) return 'Nothing changed on the page.';
  const head = gone.length + come.length === 0 ? 'Nothing changed on the page but references:' : 'Changed:';
  return [head, ...told].join('\n');
}

function asPage({ nodes }: SeenPage): string {
  const { text, cut } = renderTree(nodes, { characters: NEW_PAGE_CHARACTERS });
  if (text === '') return 'The page is empty.';
  return `The page${cut ? ' (cut; read shows more)' : ''}:\n${text}`;
}

/** The one element that is meant. */
export async function findElement(tab: Tab, target: Target, timeout: number): Promise<FoundElement> {
  if (target.ref !== undefined) return findByRef(tab, target.ref, timeout);
  if ((await countElements(tab.page, timeout)) > MOST_ELEMENTS) return searchElement(tab, target, timeout);
  const { nodes } = await lookAt(tab, timeout);
  const found = findByWords(nodes, target);
  if (!found.ok) return found;
  return { ok: true, locator: tab.page.getByRef(found.ref), label: describeNode(found.node) };
}

/** The parts of the page that are meant, with what is in them: one for a reference, perhaps many for words. */
export async function findParts(tab: Tab, target: Target, timeout: number): Promise<FoundParts> {
  const elements = await countElements(tab.page, timeout);
  if (elements > MOST_ELEMENTS) return searchParts(tab, target, timeout);
  const before = tab.seen?.nodes ?? [];
  const { nodes } = await lookAt(tab, timeout);
  if (target.ref === undefined) {
    const matches = outermost(matchWords(nodes, target));
    if (matches.length > 0) return { ok: true, nodes: matches };
    const found = findByWords(nodes, target);
    return found.ok ? { ok: true, nodes: [found.node] } : found;
  }
  const node = [...walkTree(nodes)].find(({ ref }) => ref === target.ref);
  return node ? { ok: true, nodes: [node] } : { ok: false, problem: staleRef(target.ref, before, nodes) };
}

async function findByRef(tab: Tab, ref: string, timeout: number): Promise<FoundElement> {
  const locator = tab.page.getByRef(ref);
  const before = tab.seen?.nodes ?? [];
  const place = tab.seen?.places.get(ref);
  // It throws for a frame that is no longer there.
  const isThere = () =>
    inTime(locator.count(), timeout).then(
      count => count > 0,
      () => false,
    );
  if (!(await isThere()) && place) {
    await takePart(place, new Map(), timeout).catch(() => []); // Gone, which the next count tells.
  }
  if (await isThere()) {
    const node = [...walkTree(before)].find(each => each.ref === ref);
    return { ok: true, locator, label: node ? describeNode({ ...node, text: '' }) : ref };
  }
  const { nodes } = await lookAt(tab, timeout);
  return { ok: false, problem: staleRef(ref, before, nodes) };
}

/** Without those that lie in another one of them. */
function outermost(nodes: readonly PageNode[]): PageNode[] {
  const inner = new Set(nodes.flatMap(node => [...walkTree(node.children)]));
  return nodes.filter(node => !inner.has(node));
}
