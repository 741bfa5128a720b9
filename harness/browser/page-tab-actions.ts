// The actions that need no page: looking at the console, planning answers to dialogs, going between tabs.

import { oneLine } from '../base/cut-text.js';
import { type BrowserAction, done, type Outcome, problem, type TabAction } from './agent-browser-action.js';
import type { Tab, Tabs } from './agent-browser-tabs.js';
import type { DialogAnswer, PageDialogs } from './page-dialogs.js';
import type { PageEvents } from './page-events.js';

export interface TabWork {
  tabs: Tabs;
  events: PageEvents;
  dialogs: PageDialogs;
}

const CONSOLE_CHARACTERS = 15_000;
const TAB_BYTES = 200;

const TAB_ACTIONS: readonly string[] = ['console', 'dialog', 'tabs', 'close'] satisfies TabAction['kind'][];

export function isTabAction(action: BrowserAction): action is TabAction {
  return TAB_ACTIONS.includes(action.kind);
}

export async function actOnTabs(action: TabAction, { tabs, events, dialogs }: TabWork): Promise<Outcome> {
  switch (action.kind) {
    case 'console':
      return readConsole(events);
    case 'dialog':
      dialogs.plan(action.answer);
      return done(describePlan(action.answer, dialogs.planned), { look: false });
    case 'tabs': {
      if (action.tab === undefined) return done(listTabs(tabs), { look: false });
      const tab = tabs.all.find(({ number }) => number === action.tab);
      if (!tab) return noTab(action.tab, tabs);
      await tabs.switchTo(tab);
      return done(`Tab ${tab.number} is the current one now; read shows what is there.`, { look: false });
    }
    case 'close': {
      const wanted = action.tab ?? tabs.current?.number;
      const tab = tabs.all.find(({ number }) => number === wanted);
      if (!tab) return noTab(wanted, tabs);
      await tabs.close(tab);
      return done(`Closed tab ${tab.number}.`, { look: false });
    }
  }
}

function readConsole(events: PageEvents): Outcome {
  const lines = events.takeConsole();
  if (lines.length === 0) return done('The console has nothing new.', { look: false });
  // The last ones say most.
  let left = CONSOLE_CHARACTERS;
  const shown = lines.toReversed().filter(line => {
    left -= line.length + 1;
    return left >= 0;
  });
  const missing = lines.length - shown.length;
  const note = missing > 0 ? ` The first ${missing} are left out.` : '';
  return done(`Console messages since the last look: ${lines.length}.${note}`, {
    look: false,
    body: shown.toReversed().join('\n'),
  });
}

function describePlan({ accept, text }: DialogAnswer, planned: number): string {
  const how = accept ? `accepted${text === undefined ? '' : ` with ${JSON.stringify(text)}`}` : 'dismissed';
  const which = planned === 1 ? 'The next' : `After ${planned - 1} before it, one more`;
  return `${which} confirm, prompt or beforeunload dialog will be ${how}. Now do what opens it.`;
}

function listTabs({ all, current }: Tabs): string {
  if (all.length === 0) return 'No page is open.';
  return `Tabs:\n${all.map(tab => `- tab ${tab.number}${tab === current ? ' (current)' : ''}: ${address(tab)}`).join('\n')}`;
}

function noTab(wanted: number | undefined, tabs: Tabs): Outcome {
  const has = tabs.all.map(({ number }) => number).join(', ');
  if (has === '') return problem('No page is open.');
  return problem(`There is no tab ${wanted}. The tabs are: ${has}.`);
}

function address({ page }: Tab): string {
  return oneLine(page.url(), TAB_BYTES);
}
