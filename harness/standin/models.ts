// The models that the stand-in offers. Their limits are its own: round numbers of the right size, not a price list.

import type Anthropic from '@anthropic-ai/sdk';

export interface StandinModel {
  id: string;
  displayName: string;
  line: Anthropic.ModelInfo['line'];
  maxInputTokens: number;
  maxTokens: number;
  /** A conversation may end with an assistant message that the model goes on writing. */
  prefill: boolean;
}

type Line = NonNullable<StandinModel['line']>;

export const standinModels: readonly StandinModel[] = [
  model('claude-opus-5-5', 'Claude Opus 5.5', 'opus', 1_000_000, 128_000),
  model('claude-sonnet-5-5', 'Claude Sonnet 5.5', 'sonnet', 1_000_000, 128_000),
  model('claude-haiku-5-5', 'Claude Haiku 5.5', 'haiku', 200_000, 64_000),
  model('claude-opus-5', 'Claude Opus 5', 'opus', 1_000_000, 128_000),
  model('claude-sonnet-5', 'Claude Sonnet 5', 'sonnet', 1_000_000, 128_000),
  model('claude-opus-4-8', 'Claude Opus 4.8', 'opus', 1_000_000, 128_000),
  model('claude-opus-4-7', 'Claude Opus 4.7', 'opus', 1_000_000, 128_000),
  model('claude-opus-4-6', 'Claude Opus 4.6', 'opus', 1_000_000, 128_000),
  model('claude-sonnet-4-6', 'Claude Sonnet 4.6', 'sonnet', 1_000_000, 128_000),
  { ...model('claude-haiku-4-5', 'Claude Haiku 4.5', 'haiku', 200_000, 64_000), prefill: true },
];

/** What `GET /v1/models/{id}` answers. */
export function modelInfo(model: StandinModel): Anthropic.ModelInfo {
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    line: model.line,
    max_input_tokens: model.maxInputTokens,
    max_tokens: model.maxTokens,
    created_at: '1970-01-01T00:00:00Z',
    capabilities: null,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
  };
}

function model(id: string, displayName: string, line: Line, maxInput: number, max: number): StandinModel {
  return { id, displayName, line, maxInputTokens: maxInput, maxTokens: max, prefill: false };
}
