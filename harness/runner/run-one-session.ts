// Opens a session, runs it, closes it: what an initializer and an executor have in common, and where they differ.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../base/package-root.js';
import { type AgentBrowser, openAgentBrowser } from '../browser/agent-browser.js';
import { executorBrief, initializerBrief } from '../context/brief.js';
import { loadPrompt } from '../context/prompts.js';
import type { Feature } from '../features/feature-list.js';
import type { SessionKind } from '../journal/records.js';
import { featureState, passedCount } from '../journal/run-state.js';
import { runSession } from '../session/run-session.js';
import type { SessionEnd, SessionObserver } from '../session/session-types.js';
import { openTranscript, sessionFolder } from '../session/transcript.js';
import type { ToolSet } from '../tools/tool-set.js';
import { atRisk } from '../verify/stored-specs.js';
import { PROGRESS_FILE, SPEC_FILE } from '../workspace/app.js';
import { type CanonicalList, readCanonicalList } from '../workspace/list-guard.js';
import type { Room } from '../workspace/room.js';
import { appLogPath, type StartResult } from '../workspace/running-app.js';
import { openShell, type Shell } from '../workspace/shell.js';
import { acceptStart } from './accept-start.js';
import { guardFiles } from './guard-files.js';
import { findBroken, isSound } from './health.js';
import { deadlinesOf, knownInit, type RunDeps, sessionMarker } from './run-deps.js';
import { SessionApp } from './session-app.js';
import { sessionPrefix } from './session-prefix.js';
import { sessionTools } from './session-tools.js';
import { type Tidied, tidyTree } from './tidy-tree.js';

/** A session of the initializer: it ends accepted when the list is frozen. */
export function runInitializer(deps: RunDeps): Promise<SessionEnd> {
  return withSession(deps, 'initializer', null, async ({ session, room, shell, browser, sessionApp }) => {
    const { app, journal } = deps;
    const tools = sessionTools({
      ...deps,
      room,
      shell,
      browser,
      baseUrl: sessionApp.baseUrl,
      commandMs: deps.settings.commandMinutes * 60_000,
      verify: null,
      finish: {
        kind: 'initializer',
        failing: new Set(),
        accept: (progress, plan, signal) =>
          acceptStart(deps, room, deadlinesOf(deps), { session, progress, plan, signal }),
      },
    });
    const brief = initializerBrief({
      session,
      root: app.root,
      branch: deps.branch,
      specPath: join(app.root, SPEC_FILE),
      topLevel: readdirSync(app.root).filter(name => name !== '.git'),
      faults: journal.state.initFaults,
    });
    const initTemplate = readFileSync(join(packageRoot, 'init.sh.tmpl'), 'utf8').trim();
    const firstMessage = loadPrompt('initializer', { initTemplate, brief });
    return converse(deps, session, tools, firstMessage, () => []);
  });
}

/** A session that makes one feature work. */
export function runExecutor(deps: RunDeps, feature: Feature): Promise<SessionEnd> {
  return withSession(
    deps,
    'executor',
    feature,
    async ({ session, base, room, shell, browser, sessionApp, started }) => {
      const { app } = deps;
      const canonical = await readCanonicalList(app, lastCommitOf(deps));
      const init = knownInit(deps, base);
      const tools = sessionTools({
        ...deps,
        room,
        shell,
        browser,
        baseUrl: sessionApp.baseUrl,
        commandMs: deps.settings.commandMinutes * 60_000,
        verify: {
          deps: { ...deps, room, deadlines: deadlinesOf(deps) },
          session,
          feature,
          canonical,
          init,
          ports: sessionApp.ports,
          atRisk: atRisk(canonical.list, deps.journal.state.features),
          beforeStart: () => sessionApp.stop(),
          afterVerdict: () => sessionApp.restart(deps.signal),
        },
        finish: {
          kind: 'executor',
          failing: new Set(
            canonical.list.flatMap(entry => (entry.passes || entry.id === feature.id ? [] : [entry.id])),
          ),
          accept: async () => [],
        },
      });
      const broken = started?.ok ? await findBroken(deps, { room, sessionApp, list: canonical.list }) : [];
      const brief = executorBrief({
        ...(await gatherFacts(deps, session, feature, canonical, started)),
        broken,
      });
      const firstMessage = loadPrompt('executor', { feature: feature.id, brief });
      return converse(deps, session, tools, firstMessage, () =>
        guardFiles(deps, { canonical, init, session }),
      );
    },
  );
}

interface OpenParts {
  session: number;
  /** HEAD at its begin. */
  base: string;
  room: Room;
  shell: Shell;
  browser: AgentBrowser;
  sessionApp: SessionApp;
  /** Null in an initializer session: there is nothing to start yet. */
  started: StartResult | null;
}

/** The frame of every session: begin recorded first, room closed before the tree is looked at, end recorded last. */
async function withSession(
  deps: RunDeps,
  kind: SessionKind,
  feature: Feature | null,
  work: (parts: OpenParts) => Promise<SessionEnd>,
): Promise<SessionEnd> {
  const { app, journal, clock } = deps;
  const session = journal.state.sessions + 1;
  const base = await app.git.head();
  const title = feature?.description ?? 'laying out the project';
  journal.append({ type: 'session.begin', session, kind, feature: feature?.id ?? null, title, base });
  if (base !== '') await app.git.updateRef(`refs/longhaul/sessions/${session}/start`, base);

  const room = deps.openRoom(`session-${session}`, sessionMarker(deps, session));
  const browser = openAgentBrowser({ room, browser: deps.browser, clock });
  let end: SessionEnd;
  try {
    const sessionApp = new SessionApp(deps, room, await room.ports(), deadlinesOf(deps));
    const started = kind === 'executor' ? await sessionApp.start(deps.signal) : null;
    const shell = await openShell({ room, cwd: app.root, env: sessionApp.env, clock });
    end = await work({ session, base, room, shell, browser, sessionApp, started });
  } finally {
    await browser.close();
    await room.close();
  }
  await closeSession(deps, { session, feature, base, end });
  return end;
}

async function closeSession(
  deps: RunDeps,
  {
    session,
    feature,
    base,
    end,
  }: { session: number; feature: Feature | null; base: string; end: SessionEnd },
): Promise<void> {
  const { app, journal } = deps;
  const frozen = journal.state.contractSha256 !== null;
  // An initializer without an accepted start leaves its files for the next one.
  const tidied: Tidied = frozen
    ? await tidyTree(deps, {
        session,
        base,
        // A verified feature's work is committed; what is dirty after it is no part of it.
        feature: end.reason === 'feature_verified' ? null : (feature?.id ?? null),
        isSound: () => isSound(deps, session),
      })
    : { salvage: null, did: [] };
  const head = await app.git.head();
  if (head !== '') await app.git.updateRef(`refs/longhaul/sessions/${session}/end`, head);
  const finished = end.verdict?.kind === 'finished' ? end.verdict : null;
  journal.append({
    type: 'session.end',
    session,
    reason: end.reason,
    summary: end.summary,
    turns: end.turns,
    outcome: finished?.outcome ?? null,
    blockedBy: finished?.blockedBy ?? [],
    ...tidied,
    head,
  });
}

/** The conversation itself, with its records. */
async function converse(
  deps: RunDeps,
  session: number,
  tools: ToolSet,
  firstMessage: string,
  afterTools: SessionObserver['afterTools'],
): Promise<SessionEnd> {
  const { app, journal, clock, settings, signal } = deps;
  const { model, moneyLeft } = deps.openModel(session);
  const observer: SessionObserver = {
    turnEnded: turn => void journal.append({ type: 'turn.end', session, ...turn }),
    toolEnded: call => void journal.append({ type: 'tool.end', session, ...call }),
    afterTools,
  };
  return runSession(
    {
      system: sessionPrefix(deps.acceptedTypes).system,
      firstMessage,
      model: settings.model,
      maxTokens: settings.maxTokens,
      limits: { turns: settings.turns, ms: settings.sessionMinutes * 60_000 },
    },
    {
      model,
      moneyLeft,
      tools,
      clock,
      transcript: openTranscript(join(sessionFolder(app.state, session), 'transcript.jsonl'), clock),
      reminders: { unfinished: loadPrompt('reminder-unfinished'), cut: loadPrompt('reminder-cut') },
      observer,
      signal,
    },
  );
}

async function gatherFacts(
  deps: RunDeps,
  session: number,
  feature: Feature,
  canonical: CanonicalList,
  started: StartResult | null,
): Promise<Omit<Parameters<typeof executorBrief>[0], 'broken'>> {
  const { app, journal, branch } = deps;
  const { state } = journal;
  const head = await app.git.head();
  const notes = join(app.root, PROGRESS_FILE);
  return {
    session,
    root: app.root,
    branch,
    head,
    feature,
    // The entry of this very session stands last in the history; it is not history yet.
    attempts: featureState(state, feature.id).history.filter(attempt => attempt.session !== session),
    passed: passedCount(state),
    total: canonical.list.length,
    setAside: [...state.features].flatMap(([id, entry]) => (entry.setAside ? [id] : [])),
    log: await app.git.log(10),
    topLevel: await app.git.topLevel(head),
    notes: existsSync(notes) ? readFileSync(notes, 'utf8') : '',
    last: state.lastSession,
    repairs: state.lastSession?.did ?? [],
    personSaid: state.personSaid,
    personDid: state.personDid,
    limits: { turns: deps.settings.turns, minutes: deps.settings.sessionMinutes },
    app: started?.ok
      ? { ok: true, baseUrl: started.app.baseUrl, log: appLogPath(app.state) }
      : { ok: false, problem: started ? started.problem : 'it was not started' },
  };
}

function lastCommitOf({ journal }: RunDeps): string {
  const { lastCommit } = journal.state;
  if (lastCommit === null) throw new Error('an executor session needs an accepted start');
  return lastCommit;
}
