// A page as it was looked at last.

import type { Places } from './page-snapshot.js';
import type { PageNode } from './page-tree.js';

export interface SeenPage {
  nodes: PageNode[];
  /** To compare with a later look; null for a page that was not looked at whole. */
  lines: string[] | null;
  /** Number of the document, which changes when another page is loaded. */
  document: number;
  elements: number;
  places: Places;
}
