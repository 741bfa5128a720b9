// The app as a session sees it: brought up before the session, down for a verification, up again after a red one.

import { join } from 'node:path';
import type { PortBlock, Room } from '../workspace/room.js';
import {
  appEnvironment,
  appLogPath,
  type InitDeadlines,
  type RunningApp,
  type StartResult,
  startApp,
} from '../workspace/running-app.js';
import type { RunDeps } from './run-deps.js';

export class SessionApp {
  readonly ports: PortBlock;
  readonly env: Record<string, string>;
  readonly #deps: RunDeps;
  readonly #room: Room;
  readonly #deadlines: InitDeadlines;
  #running: RunningApp | null = null;

  constructor(deps: RunDeps, room: Room, ports: PortBlock, deadlines: InitDeadlines) {
    this.ports = ports;
    this.#deps = deps;
    this.#room = room;
    this.#deadlines = deadlines;
    this.env = appEnvironment(ports, join(room.scratch, 'data'));
  }

  get baseUrl(): string {
    return this.env.BASE_URL ?? '';
  }

  async start(signal: AbortSignal): Promise<StartResult> {
    const { app, clock } = this.#deps;
    const result = await startApp({
      room: this.#room,
      clock,
      root: app.root,
      ports: this.ports,
      dataDir: join(this.#room.scratch, 'data'),
      fresh: false,
      logPath: appLogPath(app.state),
      deadlines: this.#deadlines,
      signal,
    });
    this.#running = result.ok ? result.app : null;
    return result;
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = null;
  }

  /** Up again after a verification, for the model to look at. Returns a sentence for it. */
  async restart(signal: AbortSignal): Promise<string> {
    const result = await this.start(signal);
    if (result.ok)
      return `The session's app runs again at ${result.app.baseUrl}, with the code as it is now.`;
    return `The session's app does not come up now: ${result.problem}`;
  }
}
