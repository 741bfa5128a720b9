// What Playwright's trace of one test tells of its pages: console, exceptions, requests, dialogs, text, and what failed.

import { oneLine } from '../base/cut-text.js';
import { asNumber, asRecord, asText, type Loose, parseJson } from './loose-json.js';
import { outlinePage } from './page-outline.js';
import { openZip, type ZipFile } from './read-zip.js';
import { withoutColours } from './runner-text.js';
import type { PageFacts } from './spec-run.js';

const LIMITS = { archiveBytes: 64 * 1024 * 1024, entryBytes: 64 * 1024 * 1024 };
const MOST_ENTRIES = 50;
const MOST_CHARACTERS = 500;

const NO_FACTS: PageFacts = {
  console: [],
  pageErrors: [],
  failedRequests: [],
  dialogs: [],
  navigated: false,
  failed: null,
};

export interface TraceQuestion {
  /** Address of the app. */
  baseUrl: string;
  /** The messages of the test's errors, without colours, as the report has them. */
  errors: readonly string[];
}

/** A trace that is missing, too large or not readable tells nothing. */
export async function readTrace(path: string, question: TraceQuestion): Promise<PageFacts> {
  const zip = openZip(path, LIMITS);
  if (zip === null) return NO_FACTS;
  const test = await readLines(zip, /^test\.trace$/);
  const browser = await readLines(zip, /^\d+-trace\.trace$/);
  const requests = (await readLines(zip, /^\d+-trace\.network$/)).map(({ snapshot }) => asRecord(snapshot));
  const actions = actionsOf(test);
  const failing = failingAction(actions, question.errors);
  const text = await readPageText(zip, browser, failing);
  return {
    console: bounded(browser.filter(isFromApp).map(describeMessage), isQuiet),
    pageErrors: bounded(eventsOf(browser, 'pageError').map(describePageError)),
    failedRequests: bounded(requests.filter(hasFailed).map(request => describeRequest(request, question))),
    dialogs: bounded(eventsOf(browser, 'dialog').map(describeDialog)),
    ...(text === null ? {} : { text }),
    navigated: hasNavigated(actions, failing) && requests.some(request => isPageOfApp(request, question)),
    failed: question.errors.length === 0 ? null : kindOf(failing),
  };
}

async function readLines(zip: ZipFile, pattern: RegExp): Promise<Loose[]> {
  const texts = await Promise.all(zip.names.filter(name => pattern.test(name)).map(zip.read));
  return texts
    .flatMap(text => (text?.toString('utf8') ?? '').split('\n'))
    .map(line => asRecord(parseJson(line)));
}

/** A step of the test runner: an expectation, a call of Playwright, a `test.step`, a hook. */
interface Action {
  id: string;
  method: string;
  title: string;
  params: Loose;
  error: string;
  ended: boolean;
}

function actionsOf(events: readonly Loose[]): Action[] {
  const actions = new Map<string, Action>();
  for (const event of events) {
    const id = asText(event.callId);
    if (event.type === 'before') {
      const { method, title, params } = event;
      actions.set(id, {
        id,
        method: asText(method),
        title: asText(title),
        params: asRecord(params),
        error: '',
        ended: false,
      });
    }
    const action = actions.get(id);
    if (event.type !== 'after' || !action) continue;
    action.ended = true;
    action.error = withoutColours(asText(asRecord(event.error).message)).trim();
  }
  return [...actions.values()];
}

/** The last call with the message of the first error that has one: a spec may have caught the errors of others. */
function failingAction(actions: readonly Action[], errors: readonly string[]): Action | null {
  const calls = actions.filter(({ method, error }) => error !== '' && ['expect', 'pw:api'].includes(method));
  for (const error of errors) {
    const action = calls.findLast(call => error.startsWith(call.error));
    if (action) return action;
  }
  return null;
}

const NAVIGATIONS = ['Navigate', 'Reload', 'Go back', 'Go forward'];

function kindOf(action: Action | null): PageFacts['failed'] {
  if (action?.method === 'expect') return 'expect';
  if (action && NAVIGATIONS.includes(action.title)) return 'navigation';
  return asText(action?.params.locator) === '' ? 'other' : 'locator';
}

function hasNavigated(actions: readonly Action[], failing: Action | null): boolean {
  const before = failing ? actions.slice(0, actions.indexOf(failing)) : actions;
  return before.some(({ title, ended, error }) => title === 'Navigate' && ended && error === '');
}

function isPageOfApp(request: Loose, { baseUrl }: TraceQuestion): boolean {
  const status = statusOf(request);
  return (
    request._resourceType === 'document' && urlOf(request).startsWith(baseUrl) && status > 0 && status < 500
  );
}

/**
 * The page after the failing call; an expectation about a value has no page of its own, then it is the last one of all.
 * Null when there was no page.
 */
async function readPageText(
  zip: ZipFile,
  browser: readonly Loose[],
  failing: Action | null,
): Promise<string | null> {
  const snapshots = browser.filter(({ type }) => type === 'aria-snapshot');
  const ofCall = snapshots.findLast(({ callId, phase }) => callId === failing?.id && phase === 'after');
  const content = await zip.read(asText((ofCall ?? snapshots.at(-1))?.file));
  return content === null ? null : outlinePage(parseJson(content.toString('utf8')));
}

function eventsOf(browser: readonly Loose[], method: string): Loose[] {
  return browser
    .filter(event => event.type === 'event' && event.method === method)
    .map(({ params }) => asRecord(params));
}

/** What the browser itself says about requests is in the list of failed requests, with the address. */
function isFromApp({ type, text }: Loose): boolean {
  return type === 'console' && !asText(text).startsWith('Failed to load resource:');
}

function describeMessage({ messageType, text }: Loose): string {
  return `${asText(messageType) || 'log'}: ${asText(text)}`;
}

function isQuiet(message: string): boolean {
  return !/^(error|warning|assert)\b/.test(message);
}

/** The name and message are the first line of the stack; the first place in it is the app's own. */
function describePageError({ error }: Loose): string {
  const { stack, message } = asRecord(asRecord(error).error);
  const [first = '', second = ''] = asText(stack).split('\n');
  return `${first || asText(message)} ${second}`;
}

function describeDialog({ type, message }: Loose): string {
  return `${asText(type)} ${JSON.stringify(asText(message))}`;
}

function hasFailed(request: Loose): boolean {
  const status = statusOf(request);
  // A page that is left gives up its open requests; browsers ask for an icon whether there is one or not.
  if (failureOf(request) === 'net::ERR_ABORTED' || urlOf(request).endsWith('/favicon.ico')) return false;
  return status < 0 || status >= 400;
}

function describeRequest(request: Loose, { baseUrl }: TraceQuestion): string {
  const url = urlOf(request);
  const shown = url.startsWith(`${baseUrl}/`) ? url.slice(baseUrl.length) : url;
  const response = asRecord(request.response);
  const end = failureOf(request) || `${statusOf(request)} ${asText(response.statusText)}`;
  return `${asText(asRecord(request.request).method)} ${shown}: ${end}`;
}

function urlOf(request: Loose): string {
  return asText(asRecord(request.request).url);
}

function statusOf(request: Loose): number {
  return asNumber(asRecord(request.response).status);
}

function failureOf(request: Loose): string {
  return asText(asRecord(request.response)._failureText);
}

/** Above the limit the entries that `mayGo` go first, then the latest. */
function bounded(entries: string[], mayGo: (entry: string) => boolean = () => false): string[] {
  const lines = entries.map(entry => oneLine(entry, MOST_CHARACTERS));
  if (lines.length <= MOST_ENTRIES) return lines;
  const kept = lines.filter(line => !mayGo(line)).slice(0, MOST_ENTRIES - 1);
  return [...kept, `… and ${lines.length - kept.length} more`];
}
