// A page as a tree of roles and names with references to act on, and the tree as text that fits a limit.

import { asRecord, asText } from './loose-json.js';

export interface PageNode {
  /** A role of ARIA, `iframe`, `text` for loose text, or `more` for a place where something is left out. */
  role: string;
  /** The accessible name. */
  name: string;
  text: string;
  /** `e7`, in a frame `f1e7`; null for what can be seen by nobody or takes no clicks. */
  ref: string | null;
  states: string[];
  url: string;
  clickable: boolean;
  children: PageNode[];
}

export interface RenderOptions {
  /** Of the whole text. */
  characters: number;
  /** Levels below the top ones; all when absent. */
  depth?: number;
}

export interface RenderedTree {
  text: string;
  /** Something of the tree is not in the text. */
  cut: boolean;
}

/** Words for states, in the order in which they are told. `active` is not one: focus moves with every click. */
const FLAGS = ['checked', 'disabled', 'expanded', 'pressed', 'selected', 'invalid'] as const;

const NAME_CHARACTERS = 160;
const TEXT_CHARACTERS = 600;
const URL_CHARACTERS = 120;

/** What these are called is the text of their children, which is told anyway. */
export const NAMED_BY_CHILDREN: ReadonlySet<string> = new Set([
  'row',
  'cell',
  'gridcell',
  'rowheader',
  'columnheader',
  'listitem',
]);

/** Of equal siblings so many are shown: the first number with which the text fits. */
const SIBLINGS = [Number.POSITIVE_INFINITY, 200, 100, 50, 25, 12, 6, 3];

/** `snapshot` is what Playwright gives: nodes whose children are nodes or strings. Wrappers that say nothing are left out. */
export function readPageTree(snapshot: unknown): PageNode[] {
  return (Array.isArray(snapshot) ? snapshot : []).flatMap(readNode);
}

function readNode(value: unknown): PageNode[] {
  if (typeof value === 'string') return [plainNode('text', value)];
  const node = asRecord(value);
  const children = readPageTree(node.children);
  const level = typeof node.level === 'number' ? [`level=${node.level}`] : [];
  const read: PageNode = {
    role: asText(node.role) || 'generic',
    name: asText(node.name),
    text: asText(node.text),
    ref: asText(node.ref) || null,
    states: [...level, ...FLAGS.flatMap(flag => stateOf(flag, node[flag]))],
    url: asText(node.url),
    clickable: node.cursor === 'pointer',
    children,
  };
  const placeholder = asText(node.placeholder);
  if (placeholder !== '') read.states.push(`placeholder=${JSON.stringify(placeholder)}`);
  const isPlain = read.name === '' && read.text === '' && !read.clickable;
  const saysNothing = isPlain && (read.role === 'generic' || (read.ref === null && children.length === 0));
  return saysNothing && read.states.length === 0 ? children : [read];
}

function stateOf(flag: string, value: unknown): string[] {
  if (value === true) return [flag];
  return typeof value === 'string' ? [`${flag}=${value}`] : [];
}

/** A node that no snapshot has. */
export function plainNode(role: string, text: string, children: PageNode[] = []): PageNode {
  return { role, name: '', text, ref: null, states: [], url: '', clickable: false, children };
}

/** One element as one line, without its children. */
export function describeNode(node: PageNode): string {
  if (node.role === 'more') return `… ${node.text}`;
  const named =
    node.name !== '' && !(NAMED_BY_CHILDREN.has(node.role) && (node.children.length > 0 || node.text !== ''));
  return [
    node.role,
    ...(named ? [JSON.stringify(short(node.name, NAME_CHARACTERS))] : []),
    ...node.states.map(state => `[${state}]`),
    ...(node.ref === null ? [] : [`[ref=${node.ref}]`]),
    ...(node.role === 'generic' && node.clickable ? ['[clickable]'] : []),
    ...(node.url === '' ? [] : [`-> ${short(node.url, URL_CHARACTERS)}`]),
  ]
    .join(' ')
    .concat(node.text === '' ? '' : `: ${short(node.text, TEXT_CHARACTERS)}`);
}

/** All elements in the order of the page. */
export function* walkTree(nodes: readonly PageNode[]): Generator<PageNode> {
  for (const node of nodes) {
    yield node;
    yield* walkTree(node.children);
  }
}

/** The whole tree, or with fewer of its equal siblings, or only its beginning: whatever fits first. */
export function renderTree(nodes: readonly PageNode[], { characters, depth }: RenderOptions): RenderedTree {
  let last: TreeText | undefined;
  for (const siblings of SIBLINGS) {
    last = new TreeText({ characters, siblings, depth: depth ?? Number.POSITIVE_INFINITY });
    last.add(nodes, 0);
    if (!last.full) break;
  }
  return { text: last?.lines.join('\n') ?? '', cut: last?.cut ?? false };
}

class TreeText {
  readonly lines: string[] = [];
  full = false;
  cut = false;
  #left: number;
  readonly #siblings: number;
  readonly #depth: number;

  constructor({ characters, siblings, depth }: { characters: number; siblings: number; depth: number }) {
    this.#left = characters;
    this.#siblings = siblings;
    this.#depth = depth;
  }

  add(nodes: readonly PageNode[], level: number): void {
    const shown = nodes.length <= this.#siblings ? nodes : nodes.slice(0, this.#siblings);
    for (const node of shown) {
      if (this.full) return;
      const below = level >= this.#depth && node.children.length > 0;
      this.#line(node, level, below ? ` (${count(node.children.length, 'element')} below)` : '');
      if (!below) this.add(node.children, level + 1);
    }
    if (shown.length === nodes.length) return;
    this.cut = true;
    this.#line(plainNode('more', `${count(nodes.length - shown.length, 'more element')} here`), level);
  }

  #line(node: PageNode, level: number, note = ''): void {
    if (note !== '' || node.role === 'more') this.cut = true;
    const line = `${'  '.repeat(level)}- ${describeNode(node)}${note}`;
    this.#left -= line.length + 1;
    if (this.#left < 0) {
      this.full = true;
      this.cut = true;
    } else {
      this.lines.push(line);
    }
  }
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

function short(text: string, characters: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= characters
    ? line
    : `${line.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
