// Finds elements of a page that is too large to be looked at whole: the browser itself searches, in about a second.

import type { Locator, Page } from 'playwright';
import type { Tab } from './agent-browser-tabs.js';
import { inTime } from './page-deadline.js';
import { MOST_ELEMENTS, type Places, takePart } from './page-snapshot.js';
import { staleRef, type Target, wordsOf } from './page-target.js';
import { NAMED_BY_CHILDREN, type PageNode, plainNode, walkTree } from './page-tree.js';

export type FoundElement = { ok: true; locator: Locator; label: string } | { ok: false; problem: string };

export type FoundParts = { ok: true; nodes: PageNode[] } | { ok: false; problem: string };

/** Each takes up to a second. */
const MOST_PARTS_READ = 3;

/** The parts that are meant, the first few of them. */
export async function searchParts(tab: Tab, target: Target, timeout: number): Promise<FoundParts> {
  const places: Places = tab.seen?.places ?? new Map();
  if (target.ref !== undefined) {
    const place = places.get(target.ref);
    const nodes = place ? await takePart(place, places, timeout).catch(() => []) : [];
    const node = [...walkTree(nodes)].find(({ ref }) => ref === target.ref);
    if (node) return { ok: true, nodes: [node] };
    return { ok: false, problem: staleRef(target.ref, tab.seen?.nodes ?? [], []) };
  }
  const found = await search(tab, target, timeout);
  if (!found.ok) return found;
  const nodes: PageNode[] = [];
  for (let index = 0; index < Math.min(found.count, MOST_PARTS_READ); index++)
    nodes.push(...(await takePart(found.locator.nth(index), places, timeout)));
  tab.seen ??= { nodes, lines: null, document: tab.traffic.documents, elements: MOST_ELEMENTS, places };
  const more = found.count - MOST_PARTS_READ;
  return { ok: true, nodes: more > 0 ? [...nodes, plainNode('more', `${more} more`)] : nodes };
}

/** The one element that is meant. */
export async function searchElement(tab: Tab, target: Target, timeout: number): Promise<FoundElement> {
  const found = await search(tab, target, timeout);
  if (!found.ok) return found;
  if (found.count === 1) return { ok: true, locator: found.locator, label: wordsOf(target) };
  return {
    ok: false,
    problem: `There is more than one ${wordsOf(target)} (${found.count}). Give the whole name of one, or read with these words and take its ref.`,
  };
}

async function search({ page }: Tab, target: Target, timeout: number): Promise<FoundMatches> {
  for (const exact of [true, false]) {
    for (const locator of locatorsOf(page, target, exact)) {
      const count = await inTime(locator.count(), timeout);
      if (count > 0) return { ok: true, locator, count };
    }
  }
  return { ok: false, problem: `There is no ${wordsOf(target)} on the page.` };
}

type FoundMatches = { ok: true; locator: Locator; count: number } | { ok: false; problem: string };

function locatorsOf(page: Page, { role, name }: Target, exact: boolean): Locator[] {
  if (role !== undefined) return [byRole(page, role.trim().toLowerCase() as AriaRole, { name, exact })];
  return name === undefined ? [] : [page.getByText(name, { exact }), page.getByLabel(name, { exact })];
}

type AriaRole = Parameters<Page['getByRole']>[0];

function byRole(
  page: Page,
  role: AriaRole,
  { name, exact }: { name: string | undefined; exact: boolean },
): Locator {
  if (name === undefined) return page.getByRole(role);
  // Making the names of thousands of rows takes minutes; finding their text does not.
  if (NAMED_BY_CHILDREN.has(role))
    return page.getByRole(role).filter({ hasText: exact ? wholeWords(name) : name });
  return page.getByRole(role, { name, exact });
}

function wholeWords(text: string): RegExp {
  const escaped = text.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu');
}
