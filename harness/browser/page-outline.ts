// A page as text: the roles, names and states that a screen reader would tell, one element a line.

import { cutHead } from '../base/cut-text.js';
import { asRecords, asText, type Loose } from './loose-json.js';

const MOST_BYTES = 4096;
const DEEPEST = 40;
/** States worth a word, in the order in which they are told. */
const STATES = ['level', 'checked', 'disabled', 'expanded', 'pressed', 'selected', 'invalid', 'active'];

/** `snapshot` is what Playwright's trace holds of a page: a list of nodes with `role`, `name`, `text`, `children`. */
export function outlinePage(snapshot: unknown): string {
  const lines: string[] = [];
  addNodes(lines, asRecords(snapshot), 0);
  const text = lines.join('\n');
  const head = cutHead(text, MOST_BYTES);
  return head === text
    ? text
    : `${head}\n[… the page goes on; only its first ${MOST_BYTES} bytes are shown …]`;
}

function addNodes(lines: string[], nodes: Loose[], depth: number): void {
  if (depth > DEEPEST) return;
  for (const node of nodes) {
    lines.push(`${'  '.repeat(depth)}- ${describe(node)}`);
    addNodes(lines, asRecords(node.children), depth + 1);
  }
}

function describe(node: Loose): string {
  const name = asText(node.name);
  const text = asText(node.text);
  return [
    asText(node.role) || 'element',
    ...(name === '' ? [] : [JSON.stringify(name)]),
    ...STATES.flatMap(state => describeState(state, node[state])),
  ]
    .join(' ')
    .concat(text === '' ? '' : `: ${text.replace(/\s+/g, ' ')}`);
}

function describeState(state: string, value: unknown): string[] {
  if (value === true) return [`[${state}]`];
  if (typeof value === 'string' || typeof value === 'number') return [`[${state}=${value}]`];
  return [];
}
