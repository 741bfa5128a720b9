// A page as text: the roles, names and states that a screen reader would tell, one element a line.

import { cutHead } from '../base/cut-text.js';
import { asRecord, asText, type Loose } from './loose-json.js';

const MOST_BYTES = 4096;
const DEEPEST = 40;
/** States worth a word, in the order in which they are told. */
const STATES = ['level', 'checked', 'disabled', 'expanded', 'pressed', 'selected', 'invalid', 'active'];

/** `snapshot` is what Playwright's trace holds of a page: nodes with `role`, `name`, `text`, and children that are nodes or text. */
export function outlinePage(snapshot: unknown): string {
  const lines: string[] = [];
  addNodes(lines, snapshot, 0);
  const text = lines.join('\n');
  const head = cutHead(text, MOST_BYTES);
  return head === text
    ? text
    : `${head}\n[… the page goes on; only its first ${MOST_BYTES} bytes are shown …]`;
}

function addNodes(lines: string[], nodes: unknown, depth: number): void {
  if (depth > DEEPEST || !Array.isArray(nodes)) return;
  for (const child of nodes) {
    const node = typeof child === 'string' ? { role: 'text', text: child } : asRecord(child);
    const line = describe(node);
    // A wrapper that says nothing of its own: what is in it stands in its place.
    if (line !== '') lines.push(`${'  '.repeat(depth)}- ${line}`);
    addNodes(lines, node.children, line === '' ? depth : depth + 1);
  }
}

function describe(node: Loose): string {
  const name = asText(node.name);
  const text = asText(node.text);
  const states = STATES.flatMap(state => describeState(state, node[state]));
  const role = asText(node.role);
  if (role === '' && name === '' && text === '' && states.length === 0) return '';
  return [role || 'element', ...(name === '' ? [] : [JSON.stringify(name)]), ...states]
    .join(' ')
    .concat(text === '' ? '' : `: ${text.replace(/\s+/g, ' ')}`);
}

function describeState(state: string, value: unknown): string[] {
  if (value === true) return [`[${state}]`];
  if (typeof value === 'string' || typeof value === 'number') return [`[${state}=${value}]`];
  return [];
}
