// What is different on a page since it was looked at last.

import { describeNode, type PageNode, walkTree } from './page-tree.js';

const MOST_GONE = 15;
const MOST_COME = 30;

/** Lines to compare, one an element. */
export function linesOf(nodes: readonly PageNode[]): string[] {
  return [...walkTree(nodes)].filter(({ role }) => role !== 'more').map(describeNode);
}

export interface Changes {
  gone: string[];
  come: string[];
}

export function compareLines(before: readonly string[], after: readonly string[]): Changes {
  return { gone: without(before, after), come: without(after, before) };
}

/** Lines with `-` and `+`, bounded. */
export function describeChanges({ gone, come }: Changes): string[] {
  return [...marked('-', gone, MOST_GONE), ...marked('+', come, MOST_COME)];
}

/** What `lines` has more often than `others`. An element that was only made anew has another reference, which is no change. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of others.map(withoutReference)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter(line => {
    const key = withoutReference(line);
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    return left <= 0;
  });
}

function withoutReference(line: string): string {
  return line.replace(/ \[ref=[^\]]*\]/, '');
}

function marked(mark: string, lines: readonly string[], most: number): string[] {
  const shown = lines.slice(0, most).map(line => `${mark} ${line}`);
  const more = lines.length - most;
  return more > 0 ? [...shown, `${mark} … and ${more} more`] : shown;
}
