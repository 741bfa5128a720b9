// Tool types whose schema the API knows by itself, because the models were trained on them.

import type Anthropic from '@anthropic-ai/sdk';

export type TrainedDefinition =
  | Anthropic.ToolBash20250124
  | Anthropic.ToolTextEditor20250728
  | Anthropic.BrowserToolset20260801;

export type TrainedType = TrainedDefinition['type'];

export const TRAINED_TOOLS = {
  bash: { type: 'bash_20250124', name: 'bash' },
  textEditor: { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  /** 27 tools in one entry. The `browser` tool of the harness is no driver for them and stays as it is. */
  browser: { type: 'browser_toolset_20260801' },
} as const satisfies Record<string, TrainedDefinition>;

export const TRAINED_TYPES: readonly TrainedType[] = Object.values(TRAINED_TOOLS).map(({ type }) => type);

/**
 * The most tokens that the API puts in the place of each definition. Documented are 245 for bash and 700 for the editor
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use, "Pricing" of each tool); twice that leaves room for newer
 * tokenizers. For the toolset nothing is documented: 31 members of at most 400 tokens.
 */
const HIDDEN_TOKENS: Readonly<Record<TrainedType, number>> = {
  bash_20250124: 500,
  text_editor_20250728: 1_400,
  browser_toolset_20260801: 12_400,
};

export function isTrainedType(type: unknown): type is TrainedType {
  return typeof type === 'string' && Object.hasOwn(HIDDEN_TOKENS, type);
}

/** What a request's tools cost beyond their own bytes, at most. */
export function hiddenTokens(tools: readonly { type?: unknown }[]): number {
  return tools.reduce((sum, { type }) => sum + (isTrainedType(type) ? HIDDEN_TOKENS[type] : 0), 0);
}
