// Pages as text.

import { describe, expect, it } from 'vitest';
import { outlinePage } from '../../harness/browser/page-outline.js';

describe('the outline of a page', () => {
  it('tells roles, names, states and text, one element a line', () => {
    const page = [
      { role: 'heading', name: 'Board', level: 1, box: { x: 1 } },
      { role: 'checkbox', name: 'Done "now"', checked: true, disabled: false },
      { role: 'list', children: [{ role: 'listitem', text: 'Buy\n milk' }] },
      { role: 'checkbox', checked: 'mixed' },
    ];
    expect(outlinePage(page).split('\n')).toEqual([
      '- heading "Board" [level=1]',
      '- checkbox "Done \\"now\\"" [checked]',
      '- list',
      '  - listitem: Buy milk',
      '- checkbox [checked=mixed]',
    ]);
  });

  it('is cut at 4 KB, and says so', () => {
    const text = outlinePage(Array.from({ length: 1000 }, () => ({ role: 'paragraph', text: 'ünï' })));
    expect(Buffer.byteLength(text)).toBeLessThan(4300);
    expect(text).toMatch(/\[… the page goes on; only its first 4096 bytes are shown …\]$/);
  });

  it('is empty for an empty page and for what is no page', () => {
    for (const nothing of [[], undefined, null, 'text', { role: 'list' }])
      expect(outlinePage(nothing)).toBe('');
  });
});
