// An edit is exact or refused: arbitrary files and edits, judged by a second, slower reading of the rules.

import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Edited } from '../../harness/tools/text-editor/edited.js';
import { insertLines } from '../../harness/tools/text-editor/insert-text.js';
import { replaceOnce } from '../../harness/tools/text-editor/replace-text.js';
import { decodeFile, encodeFile } from '../../harness/tools/text-editor/text-file.js';
import { textEditorTool } from '../../harness/tools/text-editor.js';

/** What lines are made of: few pieces, so that texts repeat themselves and searches hit. */
const PIECES = [
  'a',
  'b',
  'aa',
  'é',
  'e\u0301',
  '😀',
  '\t',
  '  ',
  '$&',
  "$'",
  '$$',
  '\\',
  '\u2028',
  '\uFEFF',
  '.*',
];

const line = fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map(pieces => pieces.join(''));

const ending = fc.oneof(
  { weight: 3, arbitrary: fc.constant(() => fc.constant('\n')) },
  { weight: 3, arbitrary: fc.constant(() => fc.constant('\r\n')) },
  { weight: 3, arbitrary: fc.constant(() => fc.constantFrom('\n', '\r\n')) },
  { weight: 1, arbitrary: fc.constant(() => fc.constant('\r')) },
  { weight: 1, arbitrary: fc.constant(() => fc.constantFrom('\n', '\r\n', '\r', '\r\r\n')) },
);

const text = ending.chain(endings =>
  fc
    .record({
      lines: fc.array(fc.tuple(line, endings()), { maxLength: 6 }),
      last: fc.option(line, { nil: '' }),
      mark: fc.boolean(),
    })
    .map(({ lines, last, mark }) => (mark ? '\uFEFF' : '') + lines.flat().join('') + last),
);

interface Sample {
  bytes: Buffer;
  encoding: 'utf8' | 'bytes';
}

const file: fc.Arbitrary<Sample> = fc.oneof(
  { weight: 4, arbitrary: text.map(some => ({ bytes: Buffer.from(some), encoding: 'utf8' as const })) },
  {
    weight: 1,
    // A lone 0xF6 makes it certain that this is not UTF-8.
    arbitrary: fc.tuple(text, text).map(([a, b]) => ({
      bytes: Buffer.concat([latin1(a), Buffer.from([0xf6, 0x61]), latin1(b)]),
      encoding: 'bytes' as const,
    })),
  },
);

/** A search text that mostly occurs, as a model would copy it from a view (LF), and sometimes with its CRs. */
const replacement = file.chain(sample => {
  const raw = [...asText(sample)];
  const shown = [...asText(sample).replaceAll('\r\n', '\n')];
  const part = (from: string[]) =>
    fc
      .tuple(fc.nat(from.length), fc.integer({ min: 1, max: 8 }))
      .map(([start, length]) => from.slice(start, start + length).join(''));
  return fc.record({
    sample: fc.constant(sample),
    old: fc
      .oneof(
        { weight: 5, arbitrary: part(shown) },
        { weight: 2, arbitrary: part(raw) },
        { weight: 1, arbitrary: text },
      )
      .filter(old => old !== ''),
    to: fc.oneof(
      { weight: 3, arbitrary: text.map(some => some.replaceAll('\r', '')) },
      { weight: 1, arbitrary: text },
    ),
  });
});

describe('str_replace on arbitrary files', () => {
  it('changes exactly the one place that matches, or nothing', () => {
    const seen = { edited: 0, refused: 0 };
    fc.assert(
      fc.property(replacement, ({ sample, old, to }) => {
        const edited = pure(sample, decoded => replaceOnce(decoded, old, to));
        const expected = expectedReplacement(asText(sample), sample.encoding, old, to);
        seen[edited.ok ? 'edited' : 'refused']++;
        if (expected === null) {
          expect(edited.ok).toBe(false);
          return;
        }
        expect(edited).toMatchObject({ ok: true, text: expected });
        // The bytes around the place are the old ones, whatever the encoding.
        const after = encodeFile({ encoding: sample.encoding, text: expected });
        expect(after.includes(Buffer.from([0xef, 0xbf, 0xbd]))).toBe(false);
        expect(commonStart(after, sample.bytes) + commonEnd(after, sample.bytes)).toBeGreaterThanOrEqual(
          sample.bytes.length - 2 * Buffer.byteLength(old) - 8,
        );
      }),
      { numRuns: 6000 },
    );
    expect(seen.edited).toBeGreaterThan(500);
    expect(seen.refused).toBeGreaterThan(500);
  });

  it('names lines of the new text that hold the change', () => {
    fc.assert(
      fc.property(replacement, ({ sample, old, to }) => {
        const before = asText(sample);
        const edited = pure(sample, decoded => replaceOnce(decoded, old, to));
        if (!edited.ok) return;
        const was = before.split('\n');
        const is = edited.text.split('\n');
        expect(is.slice(0, edited.firstLine - 1)).toEqual(was.slice(0, edited.firstLine - 1));
        const tail = is.slice(edited.lastLine + 1);
        expect(tail).toEqual(tail.length ? was.slice(-tail.length) : []);
      }),
      { numRuns: 2000 },
    );
  });
});

const insertion = file.chain(sample =>
  fc.record({
    sample: fc.constant(sample),
    after: fc.nat(asText(sample).split('\n').length + 1),
    inserted: text.filter(some => some !== ''),
  }),
);

describe('insert on arbitrary files', () => {
  it('puts whole lines between two lines, or changes nothing', () => {
    let inserts = 0;
    fc.assert(
      fc.property(insertion, ({ sample, after, inserted }) => {
        const before = asText(sample);
        const edited = pure(sample, decoded => insertLines(decoded, after, inserted));
        const mark = before.startsWith('\uFEFF') ? '\uFEFF' : '';
        const lines = before.slice(mark.length).match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const twoMarks = '\uFEFF\uFEFF';
        const doubled = after === 0 && (mark + inserted).startsWith(twoMarks) && !before.startsWith(twoMarks);
        const possible =
          !doubled &&
          !inserted.endsWith('\r') &&
          after <= lines.length &&
          !(before.includes('\r') && !before.includes('\n')) &&
          !(sample.encoding === 'bytes' && /[^\0-\x7f]/.test(inserted));
        if (!possible) {
          expect(edited.ok).toBe(false);
          return;
        }
        inserts++;
        const head = mark + lines.slice(0, after).join('');
        const tail = lines.slice(after).join('');
        expect(edited).toMatchObject({ ok: true, firstLine: after + 1 });
        if (!edited.ok) return;
        expect(edited.text.startsWith(head)).toBe(true);
        expect(edited.text.endsWith(tail)).toBe(true);
        const block = edited.text.slice(head.length, edited.text.length - tail.length);
        // Only line endings differ from what was sent; one more parts the new lines from what is before or after.
        const unified = (some: string) => some.replace(/\r?\n/g, '\n');
        const sent = unified(inserted).replace(/\n$/, '');
        const parted = tail === '' && head !== mark && !head.endsWith('\n');
        const emptyLast = sent === '' || sent.endsWith('\n');
        if (parted) expect(unified(block)).toBe(`\n${sent}${emptyLast ? '\n' : ''}`);
        else if (lines.length === 0) expect(unified(block)).toBe(unified(inserted));
        else expect(unified(block)).toBe(`${sent}\n`);
        if (lines.length > 0 && !(parted && emptyLast)) {
          expect(edited.text.endsWith('\n')).toBe(before.endsWith('\n'));
        }
        if (tail) expect(block).toMatch(/\n$/);
        // A file of one kind stays of that kind.
        if (!inserted.includes('\r') && !/(^|[^\r])\n/.test(before)) {
          if (before.includes('\n')) expect(edited.text).not.toMatch(/(^|[^\r])\n/);
        }
        if (!inserted.includes('\r') && !before.includes('\r')) expect(edited.text).not.toContain('\r');
      }),
      { numRuns: 4000 },
    );
    expect(inserts).toBeGreaterThan(500);
  });
});

describe('the tool on the disk', () => {
  let app: string;
  beforeAll(() => {
    app = realpathSync(mkdtempSync(join(tmpdir(), 'text-editor-edits-')));
  });
  afterAll(() => rmSync(app, { recursive: true, force: true }));

  const surroundings = fc.record({
    mode: fc.constantFrom(0o644, 0o755, 0o600, 0o700, 0o444, 0o664),
    link: fc.constantFrom<'none' | 'relative' | 'absolute'>('none', 'relative', 'absolute'),
    after: fc.nat(6),
    command: fc.constantFrom('str_replace', 'str_replace', 'insert'),
  });

  it('keeps mode, links and every other byte, and leaves no other file', async () => {
    const tool = textEditorTool({ appRoot: app, description: 'edits' });
    await fc.assert(
      fc.asyncProperty(
        replacement,
        surroundings,
        async ({ sample, old, to }, { mode, link, after, command }) => {
          const path = join(app, 'file');
          rmSync(path, { force: true });
          rmSync(join(app, 'link'), { force: true });
          writeFileSync(path, sample.bytes);
          chmodSync(path, mode);
          const target = link === 'absolute' ? path : 'file';
          if (link !== 'none') symlinkSync(target, join(app, 'link'));
          const input =
            command === 'insert'
              ? { command, insert_line: after, insert_text: to }
              : { command, old_str: old, new_str: to };
          const result = await tool.run(
            { path: link === 'none' ? 'file' : 'link', ...input },
            new AbortController().signal,
          );

          const bytes = readFileSync(path);
          if (result.isError) expect(bytes.equals(sample.bytes)).toBe(true);
          else if (command === 'str_replace') {
            const expected = expectedReplacement(asText(sample), sample.encoding, old, to);
            expect(bytes.toString(sample.encoding === 'utf8' ? 'utf8' : 'latin1')).toBe(expected);
          } else expect(bytes.length).toBeGreaterThan(sample.bytes.length);
          expect(statSync(path).mode & 0o7777).toBe(mode);
          expect(lstatSync(path).isFile()).toBe(true);
          if (link !== 'none') expect(readlinkSync(join(app, 'link'))).toBe(target);
          expect(readdirSync(app).sort()).toEqual(link === 'none' ? ['file'] : ['file', 'link']);
        },
      ),
      { numRuns: 400 },
    );
  });
});

it('turns any bytes into text and back without loss, or calls them binary', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), array => {
      const bytes = Buffer.from(array);
      const decoded = decodeFile(bytes);
      if (decoded.kind === 'text') expect(encodeFile(decoded).equals(bytes)).toBe(true);
      else expect(decoded.what).not.toBe('');
    }),
    { numRuns: 3000 },
  );
});

/** The rules once more, by trying every place: the new text, or null where the edit must be refused. */
function expectedReplacement(
  before: string,
  encoding: 'utf8' | 'bytes',
  old: string,
  to: string,
): string | null {
  if (old === to) return null;
  if (encoding === 'bytes' && /[^\0-\x7f]/.test(old + to)) return null;
  if (/\r/.test(before) && !/\n/.test(before) && /\n/.test(old + to)) return null;
  const escaped = old.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(old.includes('\r') ? escaped : escaped.replaceAll('\n', '\\r?\\n'), 'y');
  const insidePair = (at: number) => before[at - 1] === '\r' && before[at] === '\n';
  const places: { start: number; end: number }[] = [];
  for (let start = 0; start <= before.length; start++) {
    pattern.lastIndex = start;
    const match = pattern.exec(before);
    const end = start + (match?.[0].length ?? 0);
    if (match && !insidePair(start) && !insidePair(end)) places.push({ start, end });
  }
  const [place] = places;
  if (!place || places.length > 1) return null;
  const { start, end } = place;
  if (encoding === 'bytes' && start > 0 && before.charCodeAt(start - 1) > 0x7f) return null;

  const there = before.slice(start, end).match(/\r?\n/g) ?? [];
  const wanted = to.split(/(\r?\n)/);
  const count = (wanted.length - 1) / 2;
  const lone = wanted.some((part, index) => index % 2 === 1 && part === '\n');
  if (new Set(there).size === 2 && count !== there.length && lone) return null;
  const nearby = /\r?\n/.exec(before.slice(end)) ?? before.slice(0, start).match(/\r?\n/g)?.slice(-1);
  const written = wanted.map((part, index) => {
    if (index % 2 === 0 || part === '\r\n') return part;
    if (new Set(there).size === 2) return there[(index - 1) / 2] ?? part;
    return there[0] ?? nearby?.[0] ?? '\n';
  });
  const after = before.slice(0, start) + written.join('') + before.slice(end);
  const doubled = (some: string) => some.startsWith('\uFEFF\uFEFF');
  return after === before || (doubled(after) && !doubled(before)) ? null : after;
}

/** As the tool does it between reading and writing. */
function pure(sample: Sample, change: (decoded: Parameters<typeof replaceOnce>[0]) => Edited): Edited {
  const decoded = decodeFile(sample.bytes);
  if (decoded.kind !== 'text') throw new Error('the generator made a binary file');
  expect(decoded).toEqual({ kind: 'text', encoding: sample.encoding, text: asText(sample) });
  return change(decoded);
}

function asText(sample: Sample): string {
  return sample.bytes.toString(sample.encoding === 'utf8' ? 'utf8' : 'latin1');
}

function latin1(some: string): Buffer {
  return Buffer.from(some.normalize('NFC').replace(/[^\0-\xff]/g, ''), 'latin1');
}

function commonStart(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function commonEnd(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at < a.length && at < b.length && a[a.length - 1 - at] === b[b.length - 1 - at]) at++;
  return at;
}
