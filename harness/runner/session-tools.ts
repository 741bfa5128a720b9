// The tools of a session. All sessions get the same ones, so that the cached prefix stays the same.

import { join } from 'node:path';
import { writeFileDurably } from '../base/atomic-file.js';
import type { Clock } from '../base/clock.js';
import type { AgentBrowser } from '../browser/agent-browser.js';
import { bashTool } from '../tools/bash.js';
import { browserTool } from '../tools/browser.js';
import { type FinishOperations, finishSessionTool } from '../tools/finish-session.js';
import { notesTool } from '../tools/notes.js';
import { searchTool } from '../tools/search.js';
import { textEditorTool } from '../tools/text-editor.js';
import type { TrainedTypes } from '../tools/tool-definitions.js';
import { ToolSet } from '../tools/tool-set.js';
import { type VerifyOperations, verifyFeatureTool } from '../tools/verify-feature.js';
import { APP_CONFIG_FILE, type App, FEATURES_FILE, PROGRESS_FILE } from '../workspace/app.js';
import type { Room } from '../workspace/room.js';
import type { Shell } from '../workspace/shell.js';
import { toolDescriptions } from './session-prefix.js';

export interface SessionToolParts {
  app: App;
  clock: Clock;
  shell: Shell;
  room: Room;
  browser: AgentBrowser;
  /** Address of the session's app. */
  baseUrl: string;
  /** Path of ripgrep, or null. */
  rg: string | null;
  commandMs: number;
  acceptedTypes: TrainedTypes;
  verify: VerifyOperations | null;
  finish: Omit<FinishOperations, 'saveNotes'>;
}

export function sessionTools(parts: SessionToolParts): ToolSet {
  const { app, shell, room, browser, baseUrl, rg, commandMs, acceptedTypes, verify, finish } = parts;
  const listIsFrozen = verify !== null;
  const told = toolDescriptions();
  const tools = [
    bashTool({ shell, description: told.bash, defaultTimeoutMs: commandMs }),
    textEditorTool({
      appRoot: app.root,
      description: told.textEditor,
      protectedPaths: path => protectedPath(path, listIsFrozen),
    }),
    browserTool({ browser, appRoot: app.root, baseUrl, description: told.browser }),
    searchTool({ appRoot: app.root, room, rg, description: told.search }),
    notesTool({ appRoot: app.root, description: told.notes }),
    verifyFeatureTool({ description: told.verifyFeature, operations: verify }),
    finishSessionTool({
      description: told.finishSession,
      operations: {
        ...finish,
        saveNotes: content => writeFileDurably(join(app.root, PROGRESS_FILE), content),
      },
    }),
  ];
  return new ToolSet(tools, acceptedTypes);
}

function protectedPath(path: string, listIsFrozen: boolean): string | null {
  if (path === FEATURES_FILE && listIsFrozen) {
    return `${FEATURES_FILE} belongs to the harness: passes moves only through verify_feature, and the rest is frozen.`;
  }
  if (path === APP_CONFIG_FILE)
    return `${APP_CONFIG_FILE} holds a person's settings; the agent does not change it.`;
  return null;
}
