// The actions on a page, one function each.

import { oneLine } from '../base/cut-text.js';
import { type BrowserLimits, done, type Outcome, type PageAction, problem } from './agent-browser-action.js';
import type { Tab, Tabs } from './agent-browser-tabs.js';
import { isTimeout } from './page-failure.js';
import { findElement, findParts, lookAt } from './page-look.js';
import { takePicture } from './page-picture.js';
import type { FoundElement } from './page-search.js';
import type { Target } from './page-target.js';
import { renderTree } from './page-tree.js';

export interface PageWork {
  tab: Tab;
  tabs: Tabs;
  limits: BrowserLimits;
}

type ActionOf<K extends PageAction['kind']> = Extract<PageAction, { kind: K }>;
type Handler<K extends PageAction['kind']> = (action: ActionOf<K>, work: PageWork) => Promise<Outcome>;

export const VIEW_WIDTH = 1280;
export const VIEW_HEIGHT = 800;
/** Of a page as text; what else a result tells fits into the rest of 24,000. */
const TREE_CHARACTERS = 19_000;
/** For what a page still loads when it can be used already. */
const LOAD_MS = 3_000;
const CHOOSER_MS = 2_000;
const VALUE_MS = 500;
const LABEL_BYTES = 160;
const MOST_OPTIONS = 40;

const HANDLERS: { [K in PageAction['kind']]: Handler<K> } = {
  open,
  reload,
  back,
  read,
  click: ({ target }, work) => onElement(work, target, 'Clicked', ({ locator }) => locator.click()),
  hover: ({ target }, work) => onElement(work, target, 'Pointed at', ({ locator }) => locator.hover()),
  fill,
  select,
  press,
  upload,
  wait,
  screenshot,
};

export function actOnPage(action: PageAction, work: PageWork): Promise<Outcome> {
  // The table pairs each kind with its handler, which the compiler cannot follow through a union.
  return (HANDLERS[action.kind] as Handler<PageAction['kind']>)(action as ActionOf<PageAction['kind']>, work);
}

async function open({ url, width }: ActionOf<'open'>, { tab }: PageWork): Promise<Outcome> {
  await resize(tab, width);
  const response = await tab.page.goto(url, { waitUntil: 'domcontentloaded' });
  return done(`Opened${await howItLoaded(tab, response?.status())}.`);
}

async function reload({ width }: ActionOf<'reload'>, { tab }: PageWork): Promise<Outcome> {
  await resize(tab, width);
  const response = await tab.page.reload({ waitUntil: 'domcontentloaded' });
  return done(`Reloaded${await howItLoaded(tab, response?.status())}.`);
}

async function back(_: ActionOf<'back'>, { tab }: PageWork): Promise<Outcome> {
  const before = tab.page.url();
  const response = await tab.page.goBack({ waitUntil: 'domcontentloaded' });
  const isStart = tab.page.url() === 'about:blank';
  if (isStart) await tab.page.goForward({ waitUntil: 'domcontentloaded' });
  if (isStart || (!response && tab.page.url() === before))
    return problem('There is no earlier page in this tab.');
  return done('Went back.');
}

async function read({ target, depth }: ActionOf<'read'>, { tab, limits }: PageWork): Promise<Outcome> {
  const options = { characters: TREE_CHARACTERS, depth };
  if (target) {
    const found = await findParts(tab, target, limits.actionMs);
    if (!found.ok) return problem(found.problem);
    const { text, cut } = renderTree(found.nodes, options);
    return done(cut ? `Read; ${HOW_TO_GO_ON}` : 'Read.', { look: false, body: text });
  }
  const { nodes, lines, elements } = await lookAt(tab, limits.actionMs);
  const { text, cut } = renderTree(nodes, options);
  const size = `${elements.toLocaleString('en-US')} elements`;
  const did = lines === null ? `Read parts of a very large page (${size}); ${HOW_TO_GO_ON}` : undefined;
  const rest = cut
    ? `Read; the page (${size}) is cut where "…" stands or at its end: ${HOW_TO_GO_ON}`
    : 'Read.';
  return done(did ?? rest, { look: false, body: text === '' ? '(The page is empty.)' : text });
}

const HOW_TO_GO_ON =
  'read a part of it with its ref, or find elements anywhere by role and name, which also works for click and the others.';

async function fill({ target, text }: ActionOf<'fill'>, work: PageWork): Promise<Outcome> {
  let holds: string | null = null;
  const outcome = await onElement(work, target, 'Filled', async ({ locator }) => {
    await locator.fill(text);
    // Null for what is no field, such as an editable part of a page.
    holds = await locator.inputValue({ timeout: VALUE_MS }).catch(() => null);
  });
  if (!outcome.ok || holds === null || holds === text) return outcome;
  return { ...outcome, did: `${outcome.did} It holds ${JSON.stringify(oneLine(holds, LABEL_BYTES))} now.` };
}

async function select({ target, option }: ActionOf<'select'>, work: PageWork): Promise<Outcome> {
  let element: FoundElement | undefined;
  try {
    return await onElement(work, target, `Selected ${JSON.stringify(option)} in`, found => {
      element = found;
      return found.locator.selectOption(option);
    });
  } catch (error) {
    if (!isTimeout(error) || !element?.ok) throw error;
    const labels = await element.locator.evaluate(optionLabels);
    if (labels.length === 0) throw error;
    const shown = labels.slice(0, MOST_OPTIONS).map(label => JSON.stringify(oneLine(label, LABEL_BYTES)));
    return problem(`The list has no option ${JSON.stringify(option)}. It has: ${shown.join(', ')}.`);
  }
}

async function press({ target, key }: ActionOf<'press'>, work: PageWork): Promise<Outcome> {
  if (target) return onElement(work, target, `Pressed ${key} in`, ({ locator }) => locator.press(key));
  await work.tab.page.keyboard.press(key);
  return done(`Pressed ${key}.`);
}

/** Into a file input, or into the chooser that a click on another element opens. */
async function upload({ target, files }: ActionOf<'upload'>, work: PageWork): Promise<Outcome> {
  const { tab, tabs } = work;
  const payload = files.map(({ name, bytes }) => ({ name, mimeType: '', buffer: bytes }));
  const did = `Uploaded ${files.map(({ name }) => name).join(', ')} to`;
  if (!target) {
    // Pages often hide their file inputs, so that no read shows them.
    const inputs = tab.page.locator('input[type=file]');
    const count = await inputs.count();
    if (count !== 1)
      return problem(
        `The page has ${count} file inputs. Name the one, or the button that asks for the file, by ref or by role and name.`,
      );
    await inputs.setInputFiles(payload);
    return done(`${did} the file input.`);
  }
  return onElement(work, target, did, async ({ locator }) => {
    if (await locator.evaluate(takesFiles)) return locator.setInputFiles(payload);
    tabs.expectsChooser = true;
    try {
      const timeout = Math.min(CHOOSER_MS, work.limits.actionMs);
      const chooser = tab.page.waitForEvent('filechooser', { timeout });
      const [opened] = await Promise.all([chooser, locator.click()]);
      await opened.setFiles(payload);
    } finally {
      tabs.expectsChooser = false;
    }
  });
}

/** What is needed of an element, in the page's world. */
interface ElementInPage {
  type?: string;
  control?: { type?: string } | null;
  options?: Iterable<{ label: string }>;
}

function takesFiles(element: ElementInPage): boolean {
  return (element.control ?? element).type === 'file';
}

function optionLabels(element: ElementInPage): string[] {
  return Array.from(element.options ?? [], ({ label }) => label);
}

async function wait({ text }: ActionOf<'wait'>, { tab, limits }: PageWork): Promise<Outcome> {
  const quoted = JSON.stringify(text);
  const shown = tab.page
    .frames()
    .map(frame => frame.getByText(text).filter({ visible: true }).first().waitFor());
  try {
    await Promise.any(shown);
    return done(`${quoted} is on the page.`);
  } catch (error) {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    if (!errors.some(isTimeout)) throw errors[0];
    return problem(
      `${quoted} did not appear within ${limits.actionMs / 1000} s. Read the page to see what is there instead.`,
    );
  }
}

async function screenshot({ target, full, width }: ActionOf<'screenshot'>, work: PageWork): Promise<Outcome> {
  const { tab, limits } = work;
  await resize(tab, width);
  if (!target) {
    const picture = await takePicture(tab.page, full ? 'page' : 'view');
    return done(`Screenshot of ${picture.about}.`, { look: false, picture });
  }
  const found = await findElement(tab, target, limits.actionMs);
  if (!found.ok) return problem(found.problem);
  await found.locator.scrollIntoViewIfNeeded();
  const box = await found.locator.boundingBox();
  if (!box || box.width === 0 || box.height === 0)
    return problem(`${found.label} has no size, so there is nothing to see of it.`);
  const picture = await takePicture(tab.page, box);
  return done(`Screenshot of ${oneLine(found.label, LABEL_BYTES)}: ${picture.about}.`, {
    look: false,
    picture,
  });
}

async function onElement(
  { tab, limits }: PageWork,
  target: Target,
  did: string,
  act: (element: Extract<FoundElement, { ok: true }>) => Promise<unknown>,
): Promise<Outcome> {
  const found = await findElement(tab, target, limits.actionMs);
  if (!found.ok) return problem(found.problem);
  await act(found);
  return done(`${did} ${oneLine(found.label, LABEL_BYTES)}.`);
}

async function resize({ page, traffic }: Tab, width: number | undefined): Promise<void> {
  if (width === undefined || page.viewportSize()?.width === width) return;
  await page.setViewportSize({ width, height: VIEW_HEIGHT });
  await traffic.settle();
}

/** What is not as usual about a page that came. */
async function howItLoaded({ page }: Tab, status: number | undefined): Promise<string> {
  const loaded = await page.waitForLoadState('load', { timeout: LOAD_MS }).then(
    () => '',
    () => ', but some of it is still loading',
  );
  return (status !== undefined && status >= 400 ? `, but the server answered ${status}` : '') + loaded;
}
