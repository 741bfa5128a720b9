// The browser tool as the model meets it. One browser serves most tests; each begins by opening the page that it needs.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadPrompt } from '../../harness/context/prompts.js';
import { ToolSet } from '../../harness/tools/tool-set.js';
import { type BrowserRig, openRig, refOf } from '../browser/agent-browser-rig.js';

let rig: BrowserRig;
let ok: BrowserRig['ok'];
let bad: BrowserRig['bad'];

beforeAll(async () => {
  rig = await openRig();
  ({ ok, bad } = rig);
});

afterAll(() => rig.close());

describe('before a page is open', () => {
  test('says how to open one', async () => {
    expect(await bad({ action: 'read' })).toMatch(/No page is open.*open with url "\/"/);
  });
});

describe('what a call lacks', () => {
  test.each([
    ['open', {}, /open needs `url`/],
    ['click', {}, /click needs an element: `ref` from the last result, or `role` and `name`/],
    ['click', { name: ' ' }, /click needs an element/],
    ['fill', { name: 'Name' }, /fill needs `text`/],
    ['fill', { text: 'a' }, /fill needs an element/],
    ['select', { name: 'Colour' }, /select needs `text`/],
    ['press', {}, /press needs `key`/],
    ['upload', {}, /upload needs `paths`/],
    ['wait', { text: ' ' }, /wait needs `text`/],
    ['dialog', { text: 'Bob' }, /dialog needs `accept`/],
  ])('%s with %j', async (action, input, text) => {
    expect(await bad({ action, ...input })).toMatch(text);
  });
});

describe('addresses', () => {
  test.each([
    ['file:///etc/passwd', /only http and https/],
    ['chrome://version', /only http and https/],
    ['javascript:alert(1)', /only http and https/],
    ['about:blank', /only http and https/],
    ['https://example.com/', /another host.*127\.0\.0\.1/],
    ['//example.com/', /another host/],
    ['http://127.0.0.1.example.com/', /another host/],
    ['http://[', /is not an address/],
  ])('%s is refused', async (url, text) => {
    expect(await bad({ action: 'open', url })).toMatch(text);
  });

  test.each([
    ['second.html', ''],
    ['/second.html', ''],
    ['127.0.0.1:PORT/second.html', ''],
    ['localhost:PORT/second.html', 'localhost'],
    ['http://0.0.0.0:PORT/second.html', ''],
  ])('%s opens', async (url, host) => {
    const port = new URL(rig.baseUrl).port;
    expect(await ok({ action: 'open', url: url.replace('PORT', port) })).toContain(
      `Page: "Second" http://${host || '127.0.0.1'}:${port}/second.html`,
    );
  });

  test('where nothing answers, and what the server does not have, are told', async () => {
    const text = await bad({ action: 'open', url: 'http://127.0.0.1:59999/' });
    expect(text).toContain('Nothing answers at this address');
    expect(text).not.toContain('chrome-error');
    expect(await ok({ action: 'open', url: '/nowhere.html' })).toContain('the server answered 404');
  });
});

describe('on a page', () => {
  let home: string;
  beforeEach(async () => {
    home = await ok({ action: 'open', url: '/' });
  });

  test('opening shows title, address and tree with references', async () => {
    expect(home).toMatch(/^Opened\.\nPage: "Home" http:\/\/127\.0\.0\.1:\d+\/\nThe page:\n- heading "Home"/);
    expect(home).toMatch(/- textbox "Name" \[ref=\w+\]/);
    expect(home).toMatch(/- button "Closed" \[disabled\] \[ref=\w+\]/);
    expect(home).toMatch(/ {2}- option "Red" \[selected\]/);
    expect(home).toMatch(/- link "Second" \[ref=\w+\] -> \/second\.html/);
  });

  test('an element is found by its reference, in every way to write it', async () => {
    const ref = refOf(home, 'textbox "Name"');
    expect(await ok({ action: 'fill', ref, text: 'Ada' })).toContain('Hello Ada');
    expect(await ok({ action: 'fill', ref: `[ref=${ref}]`, text: 'Bea' })).toContain('Hello Bea');
  });

  test('an element is found in words: role and name, name alone, part of a name, text', async () => {
    expect(await ok({ action: 'fill', role: 'textbox', name: 'Name', text: 'Ada' })).toMatch(
      /^Filled textbox "Name".*\n.*\nChanged:\n[\s\S]*\+ paragraph.*: Hello Ada/,
    );
    expect(await ok({ action: 'click', name: 'agr' })).toMatch(/\+ checkbox "Agree" \[checked\]/);
    expect(await ok({ action: 'hover', name: 'Point here' })).toContain('a tip');
    expect(await ok({ action: 'click', text: 'Renew' })).toMatch(/^Clicked button "Renew"/);
  });

  test('several elements with the same words are listed with their references', async () => {
    const text = await bad({ action: 'click', role: 'button', name: 'Pick' });
    expect(text).toMatch(/more than one button "Pick" \(2\).*\n- button "Pick" \[ref=\w+\]\n- button "Pick"/);
    const second = text.split('\n')[2] ?? '';
    expect(await ok({ action: 'click', ref: refOf(second, 'Pick') })).toContain('second');
  });

  test('words that fit nothing get what the page has', async () => {
    expect(await bad({ action: 'click', role: 'link', name: 'Third' })).toMatch(
      /no link "Third" on the page\. What it has of link:\n- link "Second" \[ref=\w+\]/,
    );
    expect(await bad({ action: 'click', name: 'Xyz' })).toMatch(/What it has to act on:\n- textbox "Name"/);
  });

  test('a reference of something replaced names what is there now', async () => {
    const ref = refOf(home, 'button "Renew"');
    const after = await ok({ action: 'click', ref });
    const now = refOf(after, '~ button "Renew"');
    expect(now).not.toBe(ref);
    // The click's own look has forgotten the old one; a read in between must not be needed to learn the new one.
    expect(await bad({ action: 'click', ref })).toMatch(/no \w+\. Take a ref|was replaced/);
    await ok({ action: 'click', ref: now });
  });

  test('a reference of something that is gone says so', async () => {
    // A reference of a later document names that document too.
    const ref = refOf(await ok({ action: 'reload' }), 'button "Later"');
    await ok({ action: 'open', url: '/second.html' });
    expect(await bad({ action: 'click', ref })).toMatch(/Take a ref from a new read|no longer on the page/);
  });

  test('what an answer of the server changes is waited for', async () => {
    expect(await ok({ action: 'click', name: 'Load' })).toMatch(
      /- paragraph.*nothing yet\n\+ paragraph.*the data/,
    );
  });

  test('wait sees what comes later', async () => {
    expect(await ok({ action: 'click', name: 'Later' })).toContain('Nothing changed on the page.');
    expect(await ok({ action: 'wait', text: 'here at last' })).toMatch(/^"here at last" is on the page\./);
  });

  test('frames are in the tree, and their references and words work', async () => {
    expect(home).toMatch(/- iframe \[ref=\w+\]\n {2}- button "Inside" \[ref=f\d+e\d+\]/);
    expect(await ok({ action: 'click', ref: refOf(home, 'button "Inside"') })).toContain('pressed inside');
    expect(await ok({ action: 'click', name: 'Inside' })).toContain('Clicked button "Inside"');
  });

  test('a field that holds something else than was filled in says so', async () => {
    expect(await ok({ action: 'fill', name: 'Short', text: 'abc' })).toMatch(/It holds "ABC" now/);
  });

  test('an option is selected as it is shown', async () => {
    expect(await ok({ action: 'select', name: 'Colour', text: 'Blue' })).toMatch(
      /\+ option "Blue" \[selected\]/,
    );
  });

  test('keys go to the focused element or to the one named', async () => {
    expect(await ok({ action: 'press', key: 'Escape' })).toContain('Page: "Key Escape"');
    await ok({ action: 'fill', name: 'Name', text: 'Ada' });
    await ok({ action: 'press', name: 'Name', key: 'Backspace' });
    expect(await ok({ action: 'press', key: 'x' })).toContain('Hello Adx');
  });

  test('a link shows the new page, and back the old one', async () => {
    expect(await ok({ action: 'click', role: 'link', name: 'Second' })).toMatch(
      /Page: "Second".*\nThe page:\n- heading "The second page"/,
    );
    expect(await ok({ action: 'back' })).toMatch(/^Went back\.\nPage: "Home"/);
  });

  test('read shows a part of the page, or fewer levels of it', async () => {
    const list = await ok({ action: 'read', role: 'list' });
    expect(list).toMatch(/- list \[ref=\w+\]\n {2}- listitem/);
    expect(list).not.toContain('heading');
    expect(await ok({ action: 'read', ref: refOf(list, '- list ') })).toContain('- listitem');
    // Reading a part leaves the references of the rest usable.
    expect(await ok({ action: 'click', ref: refOf(home, 'button "Load"') })).toContain('the data');
    expect(await ok({ action: 'read', depth: 0 })).toMatch(/- list \[ref=\w+\] \(2 elements below\)/);
  });

  test('errors of the page are told once, and the console has them all', async () => {
    await ok({ action: 'console' });
    const text = await ok({ action: 'click', name: 'Break' });
    expect(text).toMatch(/Console uncaught: ReferenceError: missing is not defined/);
    expect(await ok({ action: 'read' })).not.toContain('missing is not defined');
    await ok({ action: 'open', url: '/nowhere.html' });
    const all = await ok({ action: 'console' });
    expect(all).toMatch(
      /since the last look: 2\.\n.*\nuncaught: ReferenceError[\s\S]*error: .*404.*\(\/nowhere\.html\)/,
    );
    expect(await ok({ action: 'console' })).toContain('The console has nothing new.');
  });

  test('the console has plain messages too, with their place', async () => {
    expect(await ok({ action: 'console' })).toMatch(/log: home is up \{at: 7\} \(\/:30\)/);
  });
});

describe('what does not work in time', () => {
  let hasty: BrowserRig;
  beforeAll(async () => {
    hasty = await openRig({ limits: { actionMs: 1_000 } });
    await hasty.ok({ action: 'open', url: '/' });
  });
  afterAll(() => hasty.close());

  test('what cannot be acted on says why', async () => {
    expect(await hasty.bad({ action: 'click', name: 'Closed' })).toMatch(
      /The element is disabled\. \(given up after 1 s\)/,
    );
    expect(await hasty.bad({ action: 'click', name: 'Covered' })).toMatch(
      /Something lies over the element: <div class="curtain">/,
    );
    expect(await hasty.bad({ action: 'fill', name: 'Agree', text: 'x' })).toMatch(
      /type checkbox takes no text/,
    );
    expect(await hasty.bad({ action: 'fill', name: 'Fixed', text: 'x' })).toMatch(/read-only/);
    expect(await hasty.bad({ action: 'fill', name: 'Age', text: 'old' })).toMatch(/takes a number only/);
    expect(await hasty.bad({ action: 'press', key: 'Foo' })).toMatch(/no key "Foo"/);
  });

  test('a text that does not appear, and an option that the list does not have', async () => {
    expect(await hasty.bad({ action: 'wait', text: 'never to be seen' })).toMatch(
      /did not appear within 1 s/,
    );
    expect(await hasty.bad({ action: 'select', name: 'Colour', text: 'Green' })).toMatch(
      /no option "Green". It has: "Red", "Blue"/,
    );
  });

  test('a file for what takes none', async () => {
    writeFileSync(join(hasty.app, 'a.txt'), 'text of a');
    expect(await hasty.bad({ action: 'upload', name: 'Renew', paths: ['a.txt'] })).toContain(
      'did not ask for a file',
    );
  });
});

describe('dialogs', () => {
  test('one that comes while a page loads does not hold it up', async () => {
    expect(await ok({ action: 'open', url: '/FC-085-alert-on-load.html' })).toContain(
      'Dialog alert "welcome FC085": accepted.',
    );
    expect(await ok({ action: 'read' })).toContain('after the alert');
  });

  test('confirm and prompt are answered as asked, and dismissed when nobody asked', async () => {
    await ok({ action: 'open', url: '/FC-086-confirm-and-prompt.html' });
    await ok({ action: 'dialog', accept: true });
    const deleted = await ok({ action: 'click', name: 'delete' });
    expect(deleted).toContain('Dialog confirm "Really delete?": accepted, as asked.');
    expect(deleted).toMatch(/- button "delete"/);
    await ok({ action: 'dialog', accept: true, text: 'Bob' });
    const renamed = await ok({ action: 'click', name: 'rename' });
    expect(renamed).toContain('Dialog prompt "New name?": accepted with "Bob", as asked.');
    expect(renamed).toContain('name: Bob');
    await ok({ action: 'reload' });
    const kept = await ok({ action: 'click', name: 'delete' });
    expect(kept).toMatch(/Dialog confirm "Really delete\?": dismissed, which is the default\. To accept/);
    expect(kept).toContain('Nothing changed on the page.');
    expect(await ok({ action: 'click', name: 'rename' })).toContain('name: null');
    expect(await ok({ action: 'read' })).not.toContain('Dialog');
  });

  test('an answer that no dialog took is not forgotten', async () => {
    await ok({ action: 'open', url: '/FC-086-confirm-and-prompt.html' });
    expect(await ok({ action: 'dialog', accept: true })).toContain(
      'The next confirm, prompt or beforeunload',
    );
    expect(await ok({ action: 'hover', name: 'Notes' })).toContain('1 planned answer is still waiting');
    expect(await ok({ action: 'click', name: 'delete' })).toContain('accepted, as asked');
  });

  test('a page that wants to keep its user is left, unless asked to stay', async () => {
    await ok({ action: 'open', url: '/leave.html' });
    await ok({ action: 'fill', name: 'Text', text: 'unsaved' });
    await ok({ action: 'dialog', accept: false });
    expect(await ok({ action: 'click', name: 'Away' })).toMatch(
      /Page: "Leave"[\s\S]*Dialog beforeunload: dismissed, as asked/,
    );
    expect(await ok({ action: 'open', url: '/second.html' })).toMatch(
      /Page: "Second"[\s\S]*Dialog beforeunload: accepted/,
    );
  });

  test('printing does not block', async () => {
    await ok({ action: 'open', url: '/print.html' });
    expect(await ok({ action: 'click', name: 'Print' })).toContain('printed');
  });
});

describe('tabs', () => {
  test('a new one is told, listed, gone to and closed', async () => {
    await ok({ action: 'open', url: '/tabs.html' });
    const text = await ok({ action: 'click', role: 'link', name: 'In a new tab' });
    const number = Number(/A new tab opened: tab (\d+) \(http.*\/second\.html\)/.exec(text)?.[1]);
    expect(text).toContain('Page: "Tabs"');
    expect(await ok({ action: 'tabs' })).toMatch(
      new RegExp(`\\(current\\): .*/tabs\\.html\\n- tab ${number}: .*/second\\.html`),
    );
    await ok({ action: 'tabs', tab: number });
    expect(await ok({ action: 'read' })).toContain('The second page');
    expect(await ok({ action: 'close' })).toMatch(/^Closed tab \d+\.\nPage: "Tabs"/);
    expect(await bad({ action: 'tabs', tab: number })).toMatch(/There is no tab \d+\. The tabs are: \d+\./);
  });

  test('a flood of them is cut off', async () => {
    await ok({ action: 'open', url: '/tabs.html' });
    await ok({ action: 'click', name: 'Many' });
    const list = await ok({ action: 'tabs' });
    const others = [...list.matchAll(/^- tab (\d+): /gm)].map(([, tab]) => Number(tab));
    expect(others).toHaveLength(7);
    for (const tab of others) await ok({ action: 'close', tab });
  });
});

describe('files', () => {
  beforeAll(() => {
    writeFileSync(join(rig.app, 'a.txt'), 'text of a');
    writeFileSync(join(rig.app, 'b.txt'), 'text of b');
    mkdirSync(join(rig.room.scratch, 'made'), { recursive: true });
    writeFileSync(join(rig.room.scratch, 'made', 'c.txt'), 'text of c');
    symlinkSync('/etc/hostname', join(rig.app, 'link.txt'));
  });

  test('go into a file input, through a button that asks for one, and into the only hidden input', async () => {
    await ok({ action: 'open', url: '/files.html' });
    expect(await ok({ action: 'upload', name: 'Picture', paths: ['a.txt', 'b.txt'] })).toContain(
      'a.txt: text of a, b.txt: text of b',
    );
    const scratch = join(rig.room.scratch, 'made', 'c.txt');
    expect(await ok({ action: 'upload', name: 'Choose', paths: [scratch] })).toContain('c.txt: text of c');
    expect(await bad({ action: 'upload', paths: ['a.txt'] })).toContain('The page has 2 file inputs');
    await ok({ action: 'open', url: '/hidden-file.html' });
    expect(await ok({ action: 'upload', paths: ['a.txt'] })).toMatch(/\+ paragraph.*a\.txt/);
  });

  test('from outside the app, also through a link, are refused', async () => {
    for (const path of ['/etc/passwd', '../secret', 'link.txt'])
      expect(await bad({ action: 'upload', name: 'Picture', paths: [path] })).toContain('outside the app');
    expect(await bad({ action: 'upload', name: 'Picture', paths: ['none.txt'] })).toContain(
      'Nothing was uploaded',
    );
  });

  test('a click that asks for one is told', async () => {
    await ok({ action: 'open', url: '/files.html' });
    expect(await ok({ action: 'click', name: 'Choose' })).toContain('The page asked for a file. Use upload');
  });

  test('that a page gives are saved', async () => {
    await ok({ action: 'open', url: '/files.html' });
    const text = await ok({ action: 'click', name: 'Report' });
    const path = /Download "the report\.csv": saved as (.*) \(8 bytes\)/.exec(text)?.[1] ?? '';
    expect(path.startsWith(rig.room.scratch)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('a,b\n1,2\n');
  });
});

describe('pictures', () => {
  const take = async (input: Record<string, unknown> = {}) => {
    const { text, images = [] } = await rig.call({ action: 'screenshot', ...input });
    const bytes = Buffer.from(images[0] ?? '', 'base64');
    expect(images).toHaveLength(1);
    return { text, bytes, width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  };

  test('of a page that is far too large stay within the limits, and its true size is told', async () => {
    await ok({ action: 'open', url: '/FC-095-tall-page.html' });
    const { text, bytes, width, height } = await take({ full: true });
    expect(text).toMatch(/the whole page, 90\d\d x 14\d\d\d px, cut to its first 2560 x 4000 px, at 50 %/);
    expect([width, height]).toEqual([1280, 2000]);
    expect(bytes.length).toBeLessThan(3_500_000);
    const part = await take({ name: 'FC-095 bottom' });
    expect(part.height).toBeLessThan(100);
  });

  test('stay within the limits one after another', async () => {
    for (let shot = 0; shot < 6; shot++) {
      const { width, height } = await take(shot % 2 === 0 ? {} : { full: true });
      expect(Math.max(width, height)).toBeLessThanOrEqual(2000);
    }
  });

  test('show one element, and the page at another width', async () => {
    await ok({ action: 'open', url: '/wide.html' });
    const box = await take({ role: 'img', name: 'Box' });
    expect([box.width, box.height]).toEqual([300, 120]);
    expect(firstPixel(box.bytes)).toEqual([255, 0, 0]);
    const narrow = await take({ width: 375 });
    expect(narrow.width).toBe(375);
    expect(narrow.text).toContain('375 px wide');
    expect(await ok({ action: 'read' })).toContain('375 px');
    await ok({ action: 'reload', width: 1280 });
  });
});

/** Red, green and blue of the upper left corner, which no filter of a PNG changes. */
function firstPixel(png: Buffer): number[] {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return [...inflateSync(Buffer.concat(parts)).subarray(1, 4)];
}

describe('a page of 20,000 rows', () => {
  test('is cut, says so, and can still be used', async () => {
    await ok({ action: 'open', url: '/FC-094-huge-page.html' });
    const before = process.memoryUsage().rss;
    const text = await ok({ action: 'read' });
    expect(text.length).toBeLessThanOrEqual(24_000);
    expect(text).toMatch(/very large page \(120,0\d\d elements\); read a part of it .* by role and name/);
    expect(text).toMatch(/link "row 0" \[ref=\w+\]/);
    expect(text).toMatch(/… 19,9\d\d more\n {2}- paragraph \[ref=\w+\]: end of the page/);
    expect(await ok({ action: 'click', ref: refOf(text, 'link "row 3"') })).toContain('#r3');
    expect(await ok({ action: 'click', name: 'row 19999' })).toContain('#r19999');
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  }, 90_000);
});

describe('a noisy page', () => {
  test('does not fill the result', async () => {
    await ok({ action: 'open', url: '/noise.html' });
    const text = await ok({ action: 'click', name: 'Shout' });
    expect(text).toMatch(/Console error: trouble 4[\s\S]*… and 495 more errors; see console\./);
    expect(text.length).toBeLessThan(4_000);
    const all = await ok({ action: 'console' });
    expect(all).toMatch(/… 80\d earlier messages were dropped\.[\s\S]*error: trouble 499/);
    expect(all.length).toBeLessThanOrEqual(24_000);
  });
});

describe('an odd page', () => {
  test('gives text that a request can carry', async () => {
    await ok({ action: 'open', url: '/noise.html' });
    const text = await ok({ action: 'click', name: 'Odd' });
    expect(text).toMatch(/half \ufffd of .*it/);
    expect(text).toContain('uncaught: null');
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\u001b');
  });
});

describe('the definition', () => {
  test('is a schema that refuses what it does not know', () => {
    const tools = new ToolSet([rig.tool]);
    expect(tools.check('browser', { action: 'open', url: '/' }).ok).toBe(true);
    expect(tools.check('browser', { action: 'eval', text: '1' })).toMatchObject({ ok: false });
    expect(tools.check('browser', { action: 'click', selector: '#a' })).toMatchObject({ ok: false });
  });

  test('is short', () => {
    expect(loadPrompt('tools/browser').length).toBeLessThan(1_200);
    expect(JSON.stringify(rig.tool.schema).length).toBeLessThan(800);
  });

  test('lets only calls that change nothing run beside others', () => {
    const access = (action: string) => rig.tool.access({ action });
    expect(['read', 'screenshot', 'console'].map(access)).toEqual(['read', 'read', 'read']);
    expect(['open', 'click', 'dialog', 'tabs'].map(access)).toEqual(['write', 'write', 'write', 'write']);
  });

  test('reads that run beside others are answered one after another', async () => {
    await ok({ action: 'open', url: '/second.html' });
    const results = await Promise.all([
      ok({ action: 'read' }),
      ok({ action: 'screenshot' }),
      ok({ action: 'read' }),
    ]);
    expect(results[0]).toContain('The second page');
    expect(results[2]).toBe(results[0]);
  });
});
