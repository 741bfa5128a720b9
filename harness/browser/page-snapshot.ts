// Takes the tree of a page: the whole of it, or of a page with too many elements a part of each long list.

import type { Locator, Page } from 'playwright';
import { asRecord, asRecords, asText } from './loose-json.js';
import { inTime } from './page-deadline.js';
import { type PageNode, plainNode, readPageTree } from './page-tree.js';

/** Playwright finds a reference in its latest snapshot only; this is what must be looked at again to find it. */
export type Places = Map<string, Locator>;

/**
 * Above it only parts are looked at: the time of a snapshot grows faster than the page. 12,000 elements take about a
 * second, 120,000 take 48.
 */
export const MOST_ELEMENTS = 12_000;
/** So many elements are looked at as one part, in about 30 ms. */
const MOST_IN_PART = 400;
const MOST_PARTS = 50;
const MOST_SIBLINGS = 30;

const COUNT = `document.getElementsByTagName('*').length`;

/**
 * Where the parts of a large page are. A container with too many elements is gone into, and its first children are
 * taken. Text, since it runs in the page's world and not in this one.
 */
const CENSUS = `(() => {
  const size = element => element.getElementsByTagName('*').length + 1;
  const seen = element => !/^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT)$/.test(element.tagName) && element.checkVisibility();
  let parts = 0;
  const visit = (element, path) => {
    if (size(element) <= ${MOST_IN_PART}) {
      parts++;
      return { path };
    }
    const children = [];
    let index = 0;
    for (const child of element.children) {
      if (children.length >= ${MOST_SIBLINGS} || parts >= ${MOST_PARTS}) break;
      index++;
      if (seen(child)) children.push(visit(child, path + '/*[' + index + ']'));
    }
    return { tag: element.tagName.toLowerCase(), children, more: element.children.length - index };
  };
  return visit(document.body, 'xpath=/html/body');
})()`;

/** Of all frames. */
export async function countElements(page: Page, timeout: number): Promise<number> {
  const answers = page.frames().map(frame => frame.evaluate(COUNT).catch(() => 0));
  const counts = await inTime(Promise.all(answers), timeout);
  return counts.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}

export async function takeWhole(page: Page, timeout: number): Promise<PageNode[]> {
  return readPageTree(await page.ariaSnapshotJSON({ mode: 'ai', timeout }));
}

/** One element with what is in it; `places` learns of its references. */
export async function takePart(place: Locator, places: Places, timeout: number): Promise<PageNode[]> {
  const json: unknown = await place.ariaSnapshotJSON({ mode: 'ai', timeout });
  for (const ref of refsIn(json)) places.set(ref, place);
  return readPageTree(json);
}

/** Parts from all over a large page, with `more` nodes where something is left out. */
export async function takeParts(page: Page, places: Places, timeout: number): Promise<PageNode[]> {
  const take = async (part: Record<string, unknown>): Promise<PageNode[]> => {
    const path = asText(part.path);
    // A part may have gone since the census.
    if (path !== '') return takePart(page.locator(path), places, timeout).catch(() => []);
    const children: PageNode[] = [];
    for (const child of asRecords(part.children)) children.push(...(await take(child)));
    const more = typeof part.more === 'number' ? part.more : 0;
    if (more > 0) children.push(plainNode('more', `${more.toLocaleString('en-US')} more`));
    return [plainNode(asText(part.tag), '', children)];
  };
  return take(asRecord(await inTime(page.evaluate(CENSUS), timeout)));
}

function* refsIn(value: unknown): Generator<string> {
  for (const node of asRecords(value)) {
    const ref = asText(node.ref);
    if (ref !== '') yield ref;
    yield* refsIn(node.children);
  }
}
