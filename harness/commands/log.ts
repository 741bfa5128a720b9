// `log`: the run as a story, from the journal alone; with `--follow` as it happens, until the run rests.

import { resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { EXIT, refuse } from '../base/errors.js';
import { shellWord } from '../base/shell-word.js';
import { readEnvironment } from '../config/environment.js';
import type { JournalRecord } from '../journal/records.js';
import { applyRecord } from '../journal/reduce.js';
import { emptyState, type RunState } from '../journal/run-state.js';
import { JournalFollower } from '../watch/journal-follower.js';
import { plainJson } from '../watch/plain-text.js';
import { saidInSession } from '../watch/said-in-session.js';
import { isEndOf, sessionPart } from '../watch/session-part.js';
import { storyTeller } from '../watch/story.js';
import { type Output, type OutputStream, openOutput } from '../watch/terminal.js';
import { type App, hasRun, openApp } from '../workspace/app.js';
import { isHeld } from '../workspace/run-lock.js';
import { noRun } from './going-on.js';

export interface LogRequest {
  dir: string;
  /** As it was typed. */
  session: string | undefined;
  follow: boolean;
  /** A record a line instead of the story. */
  json: boolean;
}

const POLL_MS = 300;
/** A run that nobody holds may be about to start: detached, or again after a crash. */
const LOOKS_WITHOUT_HOLDER = 16;

/** @returns the exit code. @throws LonghaulError `refused` when there is no run in `dir` or no such session. */
export async function logCommand(
  request: LogRequest,
  stream: OutputStream = process.stdout,
): Promise<number> {
  const { host } = readEnvironment();
  const root = resolve(request.dir);
  const session = sessionNumber(request.session);
  if (!hasRun(root)) throw noRun(root, request.dir);
  const app = await openApp(root, host);
  const output = openOutput(stream, host);
  const reader = openReader(app, request, session, output);
  reader.takeNew();
  if (session !== null && session > reader.state.sessions)
    throw noSuchSession(session, reader.state.sessions);
  return request.follow ? follow(app, reader, output, request.dir) : EXIT.done;
}

interface Reader {
  /** Of the whole journal so far. */
  readonly state: RunState;
  /** What was asked for has been shown to its end. */
  readonly over: boolean;
  /** Shows what is new; false when nothing was. */
  takeNew(): boolean;
}

function openReader(app: App, { json }: LogRequest, session: number | null, output: Output): Reader {
  const follower = new JournalFollower(app.journal);
  const state = emptyState();
  const said = session === null ? null : saidInSession(app.state, session);
  const tell = storyTeller({
    width: output.width,
    color: output.color,
    ...(said ? { said: (_, turn) => said(turn) } : {}),
  });
  const wanted = session === null ? () => true : sessionPart(session);
  let over = false;
  let begun = false;
  const show = (record: JournalRecord): string[] => {
    applyRecord(state, record);
    if (session !== null && isEndOf(record, session)) over = true;
    const isWanted = wanted(record);
    // Told in any case: a teller remembers what came before.
    const lines = tell(record, state);
    if (!isWanted) return [];
    return json ? [plainJson(record)] : lines;
  };
  return {
    state,
    get over() {
      return over;
    },
    takeNew: () => {
      const records = follower.read();
      const lines = records.flatMap(show);
      // What sets a session off from the one before has nothing before it here.
      if (!begun && lines[0] === '') lines.shift();
      begun ||= lines.length > 0;
      output.lines(lines);
      return records.length > 0;
    },
  };
}

async function follow(app: App, reader: Reader, output: Output, dir: string): Promise<number> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  const ended = AbortSignal.any([stop.signal, output.gone]);
  try {
    for (let alone = 0; !reader.over && !ended.aborted; ) {
      // Asked before reading: what the holder wrote last is read after it let go.
      const held = await isHeld(app);
      if (reader.takeNew() || held) alone = 0;
      else if (isResting(reader.state)) return EXIT.done;
      else if (++alone > LOOKS_WITHOUT_HOLDER) {
        output.lines([`nobody works on this run; longhaul run ${shellWord(dir)} goes on with it`]);
        return EXIT.done;
      }
      await systemClock.sleep(POLL_MS, ended).catch(() => {});
    }
    return stop.signal.aborted ? EXIT.interrupted : EXIT.done;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

function isResting({ phase }: RunState): boolean {
  return phase === 'new' || phase === 'parked' || phase === 'done';
}

function sessionNumber(text: string | undefined): number | null {
  if (text === undefined) return null;
  const session = Number(text);
  if (!/^\d+$/.test(text.trim()) || session < 1)
    throw refuse(`--session must be the number of a session, not ${JSON.stringify(text)}.`);
  return session;
}

function noSuchSession(session: number, sessions: number) {
  const had =
    sessions === 0
      ? 'has had none yet'
      : sessions === 1
        ? 'has had one, 1'
        : `has had ${sessions}, 1 to ${sessions}`;
  return refuse(`There is no session ${session}: the run ${had}.`);
}
