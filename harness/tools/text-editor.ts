// The text editor: view, create, str_replace and insert on files of the app. An edit is exact or refused.

import { realpathSync } from 'node:fs';
import { TRAINED_TOOLS } from '../model/trained-tools.js';
import { type AppFile, readAppFile, readAppFolder, writeAppFile } from '../workspace/app-files.js';
import { type AppPlace, resolveInside } from '../workspace/app-paths.js';
import type { Edited } from './text-editor/edited.js';
import { EDITOR_SCHEMA, type EditorInput, type RawInput, readInput } from './text-editor/editor-input.js';
import { insertLines } from './text-editor/insert-text.js';
import { hasOnlyCarriageReturns, lineEndings } from './text-editor/line-endings.js';
import { listFolder } from './text-editor/list-folder.js';
import { replaceOnce } from './text-editor/replace-text.js';
import { showChange, showRange, splitLines } from './text-editor/show-lines.js';
import { decodeFile, encodeFile, type TextFile } from './text-editor/text-file.js';
import type { Tool, ToolFace, ToolResult } from './tool.js';

export interface TextEditorOptions {
  appRoot: string;
  /** The text of `prompts/tools/text_editor.md`. */
  description: string;
  /** Why a path, relative to the app and with slashes, may not be written; null when it may. */
  protectedPaths?: (relative: string) => string | null;
}

/** Larger files are for shell commands. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

export function textEditorFace(description: string): ToolFace {
  return { name: 'text_editor', description, schema: EDITOR_SCHEMA, trained: TRAINED_TOOLS.textEditor };
}

export function textEditorTool(options: TextEditorOptions): Tool {
  // Fixed here: a link put in the place of the app's folder later leads nowhere.
  const editor = new TextEditor(realpathSync.native(options.appRoot), options.protectedPaths ?? (() => null));
  return {
    ...textEditorFace(options.description),
    access: input => ((input as Partial<RawInput> | null)?.command === 'view' ? 'read' : 'write'),
    async run(raw, signal) {
      const read = readInput(raw as RawInput);
      if (!read.ok) return failure(read.reason);
      if (signal.aborted) return failure('The session was interrupted; nothing was done.');
      return editor.run(read.input);
    },
  };
}

class TextEditor {
  constructor(
    readonly root: string,
    readonly protectedPaths: (relative: string) => string | null,
  ) {}

  run(input: EditorInput): ToolResult {
    const place = resolveInside(this.root, input.path, { forWriting: input.command !== 'view' });
    if (!place.ok) return failure(place.reason);
    if (place.root !== this.root)
      return failure(`The folder of the app, ${this.root}, is not there any more.`);
    if (input.command === 'view') return view(place, input.view_range);
    const reason = this.protectedPaths(place.relative);
    if (reason !== null) return failure(reason);
    switch (input.command) {
      case 'create':
        return create(place, input.file_text);
      case 'str_replace':
        return edit(place, 'Replaced one place in', file => replaceOnce(file, input.old_str, input.new_str));
      case 'insert':
        return edit(place, 'Inserted into', file => insertLines(file, input.insert_line, input.insert_text));
    }
  }
}

function view(place: AppPlace, range: number[] | undefined): ToolResult {
  const found = readAppFile(place, MAX_FILE_BYTES);
  if (found.ok) return viewFile(place.path, found, range);
  if (found.kind === 'missing') return failure(`${found.reason} ${LOOK_AROUND}`);
  if (found.kind !== 'folder') return failure(found.reason);
  if (range)
    return failure(`${place.path} is a folder; view_range is for files. Leave it out to see what is in it.`);
  return viewFolder(place);
}

const LOOK_AROUND = 'View "." to see what is in the app.';

function viewFolder(place: AppPlace): ToolResult {
  const found = readAppFolder(place, at => listFolder(at, place.relative));
  if (!found.ok) return failure(found.reason);
  return { text: `${place.path}/ (two levels, without hidden entries and node_modules)\n${found.list}` };
}

function viewFile(path: string, found: AppFile, range: number[] | undefined): ToolResult {
  const file = decodeFile(found.bytes);
  if (file.kind === 'binary') {
    return { text: `${path} is ${file.what} (binary, ${found.bytes.length} bytes): not shown as text.` };
  }
  const lines = splitLines(file.text);
  if (lines.length === 0) {
    return range ? failure(`${path} is empty, so it has no lines to show.`) : { text: `${path} is empty.` };
  }
  const [first = 1, end = -1] = range ?? [];
  const last = end === -1 ? lines.length : Math.min(end, lines.length);
  if (first < 1 || first > lines.length || last < first) {
    return failure(
      `view_range [${first}, ${end}] does not fit: ${path} has ${counted(lines.length)}. Use [first, last] from 1, or -1 as last for the end.`,
    );
  }
  const { text, lastShown } = showRange(lines, first, last);
  const head = `${path} (${first === 1 && lastShown === lines.length ? '' : `lines ${first}-${lastShown} of `}${counted(lines.length)})`;
  const rest =
    lastShown < last ? [`[Cut here. "view_range": [${lastShown + 1}, ${last}] shows the rest.]`] : [];
  return { text: [head, text, ...rest, ...peculiarities(file, lastShown === lines.length)].join('\n') };
}

/** What the shown lines do not tell and an edit should know. */
function peculiarities(file: TextFile, toTheEnd: boolean): string[] {
  const notes: string[] = [];
  if (file.encoding === 'bytes') notes.push('[Not UTF-8: shown as Latin-1; edits can hold ASCII only.]');
  if (hasOnlyCarriageReturns(file.text)) notes.push('[Lines end in CR alone.]');
  const kinds = new Set(lineEndings(file.text));
  if (kinds.size === 2) notes.push('[Some lines end in CRLF, some in LF; edits keep them.]');
  if (toTheEnd && !file.text.endsWith('\n')) notes.push('[No newline at the end of the file.]');
  return notes;
}

function create(place: AppPlace, text: string): ToolResult {
  const bytes = Buffer.from(text);
  const before = readAppFile(place, MAX_FILE_BYTES);
  if (before.ok && before.bytes.equals(bytes))
    return { text: `${place.path} has exactly this content already.` };
  if (!before.ok && before.kind === 'folder') {
    return failure(`${before.reason} Give the path of a file to create.`);
  }
  const written = writeAppFile(place, bytes);
  if (!written.ok) return failure(written.reason);
  const done = !before.ok && before.kind === 'missing' ? 'Created' : 'Overwrote';
  return { text: `${done} ${place.path} (${counted(splitLines(text).length)}, ${bytes.length} bytes).` };
}

function edit(place: AppPlace, done: string, change: (file: TextFile) => Edited): ToolResult {
  const found = readAppFile(place, MAX_FILE_BYTES);
  if (!found.ok) {
    if (found.kind === 'missing') return failure(`${found.reason} ${LOOK_AROUND} create makes a new file.`);
    return failure(
      found.kind === 'folder' ? `${found.reason} Give the path of a file to edit.` : found.reason,
    );
  }
  const file = decodeFile(found.bytes);
  if (file.kind === 'binary') {
    return failure(
      `${place.path} is ${file.what} (binary, ${found.bytes.length} bytes), which this tool does not edit. Use shell commands for it.`,
    );
  }
  const edited = change(file);
  if (!edited.ok) return failure(`${place.path}: ${edited.reason}`);
  const written = writeAppFile(
    place,
    encodeFile({ encoding: file.encoding, text: edited.text }),
    found.version,
  );
  if (!written.ok) return failure(written.reason);
  return { text: `${done} ${place.path}:\n${showChange(edited.text, edited.firstLine, edited.lastLine)}` };
}

function failure(text: string): ToolResult {
  return { text, isError: true };
}

function counted(lines: number): string {
  return `${lines} ${lines === 1 ? 'line' : 'lines'}`;
}
