// Which element of a page is meant: by its reference, or in words. Pure; the page itself is touched elsewhere.

import { oneLine } from '../base/cut-text.js';
import { describeNode, type PageNode, walkTree } from './page-tree.js';

/** How a caller names an element: `ref` alone, or `role`, `name` or both. */
export interface Target {
  ref?: string;
  role?: string;
  name?: string;
}

export type FoundNode = { ok: true; node: PageNode; ref: string } | { ok: false; problem: string };

/** Roles that are made to be acted on; of several elements with the same words, these are meant. */
const WIDGETS = new Set([
  'button',
  'checkbox',
  'combobox',
  'link',
  'listbox',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
  'treeitem',
]);

const MOST_LISTED = 8;
const LINE_BYTES = 160;

/** All elements that the words name: exactly if there are any, else those that contain them. */
export function matchWords(nodes: readonly PageNode[], { role, name }: Target): PageNode[] {
  const wantedRole = role?.trim().toLowerCase();
  const wanted = name === undefined ? undefined : plain(name);
  const candidates = [...walkTree(nodes)].filter(
    node => node.role !== 'more' && (wantedRole === undefined || node.role === wantedRole),
  );
  if (wanted === undefined) return candidates;
  const exact = candidates.filter(node => textsOf(node).some(text => text === wanted));
  return exact.length > 0
    ? exact
    : candidates.filter(node => textsOf(node).some(text => text.includes(wanted)));
}

/** The one element that can be acted on, or what would name it. */
export function findByWords(nodes: readonly PageNode[], target: Target): FoundNode {
  const matches = matchWords(nodes, target);
  const usable = matches.filter(({ ref }) => ref !== null);
  const widgets = usable.filter(({ role }) => WIDGETS.has(role));
  const clickable = usable.filter(node => node.clickable);
  const best = [widgets, clickable, usable].find(({ length }) => length > 0) ?? [];
  const [only, ...others] = best;
  if (only?.ref != null && others.length === 0) return { ok: true, node: only, ref: only.ref };
  const words = wordsOf(target);
  if (best.length > 1) {
    return {
      ok: false,
      problem: `There is more than one ${words} (${best.length}). Name the one by its ref:\n${listed(best)}`,
    };
  }
  if (matches.length > 0) {
    return {
      ok: false,
      problem: `There is ${words}, but it cannot be acted on: it is hidden or takes no clicks (an option of a list is chosen with select, on its list).`,
    };
  }
  return { ok: false, problem: `There is no ${words} on the page. ${nearest(nodes, target)}` };
}

/** What became of an element that an earlier snapshot had under this reference. */
export function staleRef(ref: string, before: readonly PageNode[], now: readonly PageNode[]): string {
  const known = [...walkTree(before)].find(node => node.ref === ref);
  if (!known) return `The last look at the page had no ${ref}. Take a ref from a new read.`;
  const again = [...walkTree(now)].filter(
    node => node.ref !== null && node.role === known.role && node.name === known.name,
  );
  const what = oneLine(describeNode(known), LINE_BYTES);
  const [only, ...others] = again;
  if (only && others.length === 0)
    return `The element of ${ref} (${what}) was replaced; the page has it as ${only.ref} now.`;
  return `The element of ${ref} (${what}) is no longer on the page. Read it again.`;
}

/** `button "Save"`, `element named "Save"`. */
export function wordsOf({ role, name }: Target): string {
  if (role === undefined) return `element named ${JSON.stringify(name ?? '')}`;
  return name === undefined ? role : `${role} ${JSON.stringify(name)}`;
}

/** One line an element. */
export function listed(nodes: readonly PageNode[]): string {
  const lines = nodes.slice(0, MOST_LISTED).map(node => `- ${oneLine(describeNode(node), LINE_BYTES)}`);
  const more = nodes.length - MOST_LISTED;
  return [...lines, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}

/** What the page has instead: of the same role, else of the widgets. */
function nearest(nodes: readonly PageNode[], { role }: Target): string {
  const all = [...walkTree(nodes)].filter(({ ref }) => ref !== null);
  const same = role === undefined ? [] : all.filter(node => node.role === role.trim().toLowerCase());
  if (same.length > 0) return `What it has of ${role}:\n${listed(same)}`;
  const widgets = all.filter(node => WIDGETS.has(node.role) && node.name !== '');
  if (widgets.length === 0) return 'It has nothing to act on; read shows what is there.';
  return `What it has to act on:\n${listed(widgets)}`;
}

function textsOf(node: PageNode): string[] {
  const own = node.children.filter(({ role }) => role === 'text').map(({ text }) => text);
  return [node.name, node.text, ...own].filter(text => text !== '').map(plain);
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
