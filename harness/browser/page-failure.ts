// What Playwright threw, as a sentence that says what happened and what would work.

import { oneLine } from '../base/cut-text.js';
import { withoutColours } from './runner-text.js';

/** Told in these words. The first that is found in the message counts. */
const KNOWN: readonly (readonly [RegExp, string | ((match: RegExpExecArray) => string)])[] = [
  [
    /net::ERR_CONNECTION_(REFUSED|RESET)|net::ERR_EMPTY_RESPONSE/,
    'Nothing answers at this address. Is the server up, and on this port? Its log tells more.',
  ],
  [/aborted due to timeout/, 'The page did not answer in time.'],
  [/net::ERR_UNSAFE_PORT/, 'Browsers refuse this port. Let the server listen on another one.'],
  [/net::ERR_NAME_NOT_RESOLVED/, 'The host of this address is not known.'],
  [/net::ERR_TOO_MANY_REDIRECTS/, 'The server redirects in a circle.'],
  [/Download is starting/, 'The address is a file to download, not a page.'],
  [
    /net::ERR_ABORTED/,
    'The page did not change: what was asked for is no page (204, a download), or the old page asked to stay.',
  ],
  [
    /\n\s*- (<.+>) (?:from <.+> subtree )?intercepts pointer events/,
    match =>
      `Something lies over the element: ${oneLine(match[1] ?? '', 200)}. Close or move that first, as a user would.`,
  ],
  [/element is not enabled/, 'The element is disabled.'],
  [/element is not visible/, 'The element is not visible. Do first what makes it appear.'],
  [/element is not editable|readonly/, 'The element cannot be written in: it is read-only.'],
  [/element is not stable/, 'The element kept moving (an animation that does not end?).'],
  [/element is outside of the viewport/, 'The element is outside of what can be seen and scrolled to.'],
  [/element was detached from the DOM/, 'The element was replaced meanwhile. Read the page again.'],
  [
    /Element is not a <select>/,
    'The element is no native list. Click it, then click the option that appears.',
  ],
  [/did not find some options/, 'The list has no such option.'],
  [
    /Element is not an <input>, <textarea>/,
    'The element takes no text. Name the input field itself; checkboxes and radio buttons are clicked.',
  ],
  [
    /Input of type "(\w+)" cannot be filled/,
    match => `A field of type ${match[1]} takes no text. Click it, or press keys in it.`,
  ],
  [
    /Malformed value/,
    'The field takes another form: 2026-03-31 for a date, 14:05 for a time, 2026-03 for a month, #1a2b3c for a colour, a number for a range.',
  ],
  [/Cannot type text into input\[type=number\]/, 'The field takes a number only, such as 12 or 12.5.'],
  [
    /Unknown key: "(.*?)"/,
    match =>
      `There is no key "${match[1]}". Keys are a character, or names such as Enter, Escape, Tab, Backspace, ArrowDown, F2, with modifiers in front: Control+A.`,
  ],
  [/event "filechooser"/, 'The element is no file input, and a click on it did not ask for a file.'],
  [/Non-multiple file input/, 'The field takes one file only.'],
  [
    /has been closed|Target closed|Target crashed|Page crashed/,
    'The page was closed or crashed in the middle of it. Open it again.',
  ],
];

/** `deadlineMs` is what the action had. */
export function describeFailure(error: unknown, deadlineMs: number): string {
  const message = withoutColours(error instanceof Error ? error.message : String(error));
  const late = message.includes(`Timeout ${deadlineMs}ms`) ? ` (given up after ${deadlineMs / 1000} s)` : '';
  for (const [pattern, words] of KNOWN) {
    const match = pattern.exec(message);
    if (match) return `${typeof words === 'string' ? words : words(match)}${late}`;
  }
  const [first = ''] = message.split('\nCall log:');
  return oneLine(first.replace(/^\w+\.\w+: /, ''), 400);
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** The page, or the whole browser, went away in the middle of it. */
export function isClosed(error: unknown): boolean {
  return error instanceof Error && /has been closed|Target closed|Connection closed/.test(error.message);
}
