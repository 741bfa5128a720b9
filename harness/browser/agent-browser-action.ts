// What the agent's browser can be asked to do, and what comes of it, as data.

import type { DialogAnswer } from './page-dialogs.js';
import type { Picture } from './page-picture.js';
import type { Target } from './page-target.js';

export interface UploadFile {
  name: string;
  bytes: Buffer;
}

/** Those that are done on the current page. `width` is that of the page from then on, px. */
export type PageAction =
  | { kind: 'open'; url: string; width?: number }
  | { kind: 'reload'; width?: number }
  | { kind: 'back' }
  | { kind: 'read'; target?: Target; depth?: number }
  | { kind: 'click'; target: Target }
  | { kind: 'hover'; target: Target }
  | { kind: 'fill'; target: Target; text: string }
  | { kind: 'select'; target: Target; option: string }
  | { kind: 'press'; target?: Target; key: string }
  | { kind: 'upload'; target?: Target; files: UploadFile[] }
  | { kind: 'wait'; text: string }
  | { kind: 'screenshot'; target?: Target; full: boolean; width?: number };

/** Those that need no page. */
export type TabAction =
  | { kind: 'console' }
  | { kind: 'dialog'; answer: DialogAnswer }
  | { kind: 'tabs'; tab?: number }
  | { kind: 'close'; tab?: number };

export type BrowserAction = PageAction | TabAction;

export interface BrowserLimits {
  /** Of one action; of a navigation. */
  actionMs: number;
  navigationMs: number;
  /** Until the browser is up. */
  startMs: number;
  /** A page that has not answered the simplest question by then is stuck. */
  probeMs: number;
}

export type Outcome =
  | {
      ok: true;
      /** A sentence. */
      did: string;
      /** Whether the page is looked at afterwards to tell what changed. */
      look: boolean;
      body?: string;
      picture?: Picture;
    }
  | { ok: false; problem: string };

export function done(did: string, more: { look?: boolean; body?: string; picture?: Picture } = {}): Outcome {
  return { ok: true, did, look: true, ...more };
}

export function problem(text: string): Outcome {
  return { ok: false, problem: text };
}

/** What the model reads of it. */
export interface BrowserResult {
  text: string;
  isError: boolean;
  /** PNG, base64. */
  png?: string;
}
