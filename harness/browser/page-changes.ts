// What is different on a page since it was looked at last.

import { describeNode, type PageNode, walkTree } from './page-tree.js';

const MOST_GONE = 15;
const MOST_COME = 30;
const MOST_RENEWED = 10;

/** Lines to compare, one an element. */
export function linesOf(nodes: readonly PageNode[]): string[] {
  return [...walkTree(nodes)].filter(({ role }) => role !== 'more').map(describeNode);
}

export interface Changes {
  gone: string[];
  come: string[];
  /** The same as before but for the reference: made anew by the page. The old reference is of no use any more. */
  renewed: string[];
}

export function compareLines(before: readonly string[], after: readonly string[]): Changes {
  const come = without(after, before, withoutReference);
  return {
    gone: without(before, after, withoutReference),
    come,
    renewed: without(without(after, before), come),
  };
}

/** Lines with `-`, `+` and, after what really changed, `~`; bounded. */
export function describeChanges({ gone, come, renewed }: Changes): string[] {
  return [
    ...marked('-', gone, MOST_GONE),
    ...marked('+', come, MOST_COME),
    ...marked('~', renewed, MOST_RENEWED, ' (as before, with a new ref)'),
  ];
}

/** What `lines` has more often than `others`. */
function without(
  lines: readonly string[],
  others: readonly string[],
  keyOf = (line: string) => line,
): string[] {
  const counts = new Map<string, number>();
  for (const line of others.map(keyOf)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter(line => {
    const left = counts.get(keyOf(line)) ?? 0;
    counts.set(keyOf(line), left - 1);
    return left <= 0;
  });
}

function withoutReference(line: string): string {
  return line.replace(/ \[ref=[^\]]*\]/, '');
}

function marked(mark: string, lines: readonly string[], most: number, note = ''): string[] {
  const shown = lines.slice(0, most).map(line => `${mark} ${line}${note}`);
  const more = lines.length - most;
  return more > 0 ? [...shown, `${mark} … and ${more} more`] : shown;
}
