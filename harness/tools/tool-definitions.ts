// Tools as the API is told of them: with our own schema, or as a type that the models were trained on.

import type Anthropic from '@anthropic-ai/sdk';
import type { ToolDefinition } from '../model/model.js';
import type { TrainedType } from '../model/trained-tools.js';
import type { ToolFace } from './tool.js';

/** The types that the API was seen to accept; empty by default. */
export type TrainedTypes = ReadonlySet<TrainedType>;

export const NO_TRAINED_TYPES: TrainedTypes = new Set();

/** Sorted by name, so that the cached prefix never depends on the order in which tools were made. */
export function toolDefinitions(
  faces: readonly ToolFace[],
  accepted: TrainedTypes,
): (ToolDefinition & { name: string })[] {
  return faces
    .map(face => trainedForm(face, accepted) ?? plainForm(face))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The tool's trained definition when that is what is sent. Its description then has no place in the definition. */
export function trainedForm({ trained }: ToolFace, accepted: TrainedTypes): ToolFace['trained'] | null {
  return trained && accepted.has(trained.type) ? trained : null;
}

function plainForm({ name, description, schema, toldSchema = schema }: ToolFace) {
  return { name, description, input_schema: toldSchema as Anthropic.Tool.InputSchema };
}
