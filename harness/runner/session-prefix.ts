// What every request of every session begins with: system prompt and tool definitions, the same bytes while nothing changes.

import { NOTES_LIMIT_BYTES } from '../context/notes.js';
import { loadPrompt } from '../context/prompts.js';
import type { ToolDefinition } from '../model/model.js';
import { bashFace } from '../tools/bash.js';
import { browserFace } from '../tools/browser.js';
import { finishSessionFace } from '../tools/finish-session.js';
import { notesFace } from '../tools/notes.js';
import { searchFace } from '../tools/search.js';
import { textEditorFace } from '../tools/text-editor.js';
import type { ToolFace } from '../tools/tool.js';
import { type TrainedTypes, toolDefinitions, trainedForm } from '../tools/tool-definitions.js';
import { verifyFeatureFace } from '../tools/verify-feature.js';

export interface SessionPrefix {
  system: string;
  tools: (ToolDefinition & { name: string })[];
}

export function sessionPrefix(accepted: TrainedTypes): SessionPrefix {
  const told = toolDescriptions();
  const faces = [
    bashFace(told.bash),
    textEditorFace(told.textEditor),
    browserFace(told.browser),
    searchFace(told.search),
    notesFace(told.notes),
    verifyFeatureFace(told.verifyFeature),
    finishSessionFace(told.finishSession),
  ];
  return { system: systemPrompt(faces, accepted), tools: toolDefinitions(faces, accepted) };
}

/** What the model is told about each tool. */
export function toolDescriptions() {
  return {
    bash: loadPrompt('tools/bash'),
    textEditor: loadPrompt('tools/text_editor'),
    browser: loadPrompt('tools/browser'),
    search: loadPrompt('tools/search'),
    notes: loadPrompt('tools/notes', { limit: String(NOTES_LIMIT_BYTES) }),
    verifyFeature: loadPrompt('tools/verify_feature'),
    finishSession: loadPrompt('tools/finish_session'),
  };
}

/** A definition of a trained type has no place for a description, so that stands in the system prompt. */
function systemPrompt(faces: readonly ToolFace[], accepted: TrainedTypes): string {
  const told = faces.flatMap(face => {
    const sent = trainedForm(face, accepted);
    return sent ? [loadPrompt('tool-in-system', { name: sent.name, description: face.description })] : [];
  });
  return [loadPrompt('system'), ...told].join('\n\n');
}
