// browser: opens the app as a user does, reads pages as text, acts on them, takes pictures.

import { basename, isAbsolute, relative } from 'node:path';
import type { AgentBrowser } from '../browser/agent-browser.js';
import type { BrowserAction, UploadFile } from '../browser/agent-browser-action.js';
import { checkAddress } from '../browser/page-address.js';
import { MOST_WIDTH } from '../browser/page-picture.js';
import type { Target } from '../browser/page-target.js';
import { readAppFile } from '../workspace/app-files.js';
import { resolveInside } from '../workspace/app-paths.js';
import type { Tool, ToolFace } from './tool.js';

export interface BrowserToolOptions {
  browser: AgentBrowser;
  appRoot: string;
  /** Where the session's app answers, without a slash at the end. */
  baseUrl: string;
  description: string;
}

/** The input, once it has passed the schema. */
interface Input {
  action: BrowserAction['kind'];
  url?: string;
  ref?: string;
  role?: string;
  name?: string;
  text?: string;
  key?: string;
  paths?: string[];
  depth?: number;
  full?: boolean;
  width?: number;
  accept?: boolean;
  tab?: number;
}

type Planned = { ok: true; action: BrowserAction } | { ok: false; problem: string };

const ACTIONS: BrowserAction['kind'][] = [
  'open',
  'back',
  'reload',
  'read',
  'screenshot',
  'console',
  'click',
  'hover',
  'fill',
  'select',
  'press',
  'upload',
  'wait',
  'dialog',
  'tabs',
  'close',
];

/** Calls that change nothing, so that several may stand in one turn in any order. */
const READS: BrowserAction['kind'][] = ['read', 'screenshot', 'console'];
const NAMED_BY_TEXT: BrowserAction['kind'][] = ['click', 'hover', 'read', 'screenshot'];
const MOST_UPLOAD_BYTES = 20 * 1024 * 1024;
const MOST_FILES = 10;

export function browserFace(description: string): ToolFace {
  return {
    name: 'browser',
    description,
    // What the fields are for is in the description, once: it is sent with every request.
    schema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ACTIONS },
        url: { type: 'string' },
        ref: { type: 'string' },
        role: { type: 'string' },
        name: { type: 'string' },
        text: { type: 'string' },
        key: { type: 'string' },
        paths: { type: 'array', items: { type: 'string' }, maxItems: MOST_FILES },
        depth: { type: 'integer', minimum: 0 },
        full: { type: 'boolean' },
        width: { type: 'integer', minimum: 200, maximum: MOST_WIDTH },
        accept: { type: 'boolean' },
        tab: { type: 'integer' },
      },
      required: ['action'],
      additionalProperties: false,
    },
  };
}

export function browserTool({ browser, appRoot, baseUrl, description }: BrowserToolOptions): Tool {
  return {
    ...browserFace(description),
    access: input => (READS.includes((input as Input).action) ? 'read' : 'write'),
    async run(input, signal) {
      const wanted = input as Input;
      const planned = PLANS[wanted.action](wanted, { baseUrl, appRoot, scratch: browser.scratch });
      if (!planned.ok) return { text: planned.problem, isError: true };
      const { text, isError, png } = await browser.run(planned.action, signal);
      return { text, ...(isError ? { isError } : {}), ...(png === undefined ? {} : { images: [png] }) };
    },
  };
}

interface Places {
  baseUrl: string;
  appRoot: string;
  scratch: string;
}

type Plan = (input: Input, places: Places) => Planned;

/** What an input asks for, or what it lacks. */
const PLANS: Record<BrowserAction['kind'], Plan> = {
  open: ({ url, width }, { baseUrl }) => {
    if (!url?.trim()) return lacks('open', '`url`: a path of the app such as "/"');
    const address = checkAddress(url, baseUrl);
    return address.ok ? act({ kind: 'open', url: address.url, width }) : address;
  },
  reload: ({ width }) => act({ kind: 'reload', width }),
  back: () => act({ kind: 'back' }),
  read: input => act({ kind: 'read', target: targetOf(input), depth: input.depth }),
  screenshot: input =>
    act({
      kind: 'screenshot',
      target: targetOf(input),
      full: input.full ?? false,
      width: input.width,
    }),
  console: () => act({ kind: 'console' }),
  click: input => onElement(input, target => ({ kind: 'click', target })),
  hover: input => onElement(input, target => ({ kind: 'hover', target })),
  fill: ({ text, ...input }) => {
    if (text === undefined) return lacks('fill', '`text`: the new text of the field ("" empties it)');
    return onElement(input, target => ({ kind: 'fill', target, text }));
  },
  select: ({ text: option, ...input }) => {
    if (option === undefined) return lacks('select', '`text`: the option as it is shown');
    return onElement(input, target => ({ kind: 'select', target, option }));
  },
  press: input => {
    if (!input.key) return lacks('press', '`key`, such as "Enter"');
    return act({ kind: 'press', target: targetOf(input), key: input.key });
  },
  upload: (input, places) => {
    const read = readFiles(input.paths ?? [], places);
    return read.ok ? act({ kind: 'upload', target: targetOf(input), files: read.files }) : read;
  },
  wait: ({ text }) =>
    text?.trim() ? act({ kind: 'wait', text }) : lacks('wait', '`text` that is to appear'),
  dialog: ({ accept, text }) => {
    if (accept === undefined) return lacks('dialog', '`accept`: true or false');
    return act({ kind: 'dialog', answer: { accept, text } });
  },
  tabs: ({ tab }) => act({ kind: 'tabs', tab }),
  close: ({ tab }) => act({ kind: 'close', tab }),
};

function act(action: BrowserAction): Planned {
  return { ok: true, action };
}

function lacks(kind: string, what: string): Planned {
  return { ok: false, problem: `${kind} needs ${what}. Nothing was done.` };
}

function onElement(input: Input, make: (target: Target) => BrowserAction): Planned {
  const target = targetOf(input);
  if (target) return act(make(target));
  return lacks(input.action, 'an element: `ref` from the last result, or `role` and `name`');
}

/** A reference may come as it stands in a result: `[ref=e7]`. Where `text` has no other meaning, it is the name. */
function targetOf({ action, ref, role, name, text }: Input): Target | undefined {
  if (ref?.trim()) return { ref: /\b(?:f\d+)?e\d+\b/.exec(ref)?.[0] ?? ref.trim() };
  const called = name ?? (NAMED_BY_TEXT.includes(action) ? text : undefined);
  const words = { role: role?.trim() || undefined, name: called?.trim() || undefined };
  return words.role || words.name ? words : undefined;
}

function readFiles(
  paths: readonly string[],
  places: Places,
): { ok: true; files: UploadFile[] } | { ok: false; problem: string } {
  const refuse = (reason: string) => ({ ok: false as const, problem: `${reason} Nothing was uploaded.` });
  if (paths.length === 0) return refuse('upload needs `paths` of the files.');
  const files: UploadFile[] = [];
  let left = MOST_UPLOAD_BYTES;
  for (const path of paths) {
    const place = resolveInside(rootOf(path, places), path, { forWriting: false });
    if (!place.ok) return refuse(place.reason);
    const read = readAppFile(place, left);
    if (!read.ok && read.kind === 'too_large')
      return refuse(
        `${path} is too large: uploads are at most ${MOST_UPLOAD_BYTES / 1024 / 1024} MB in all.`,
      );
    if (!read.ok) return refuse(read.reason);
    left -= read.bytes.length;
    files.push({ name: basename(place.path), bytes: read.bytes });
  }
  return { ok: true, files };
}

function rootOf(path: string, { appRoot, scratch }: Places): string {
  const inScratch = isAbsolute(path) && !relative(scratch, path).startsWith('..');
  return inScratch ? scratch : appRoot;
}
