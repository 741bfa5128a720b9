// The tool types whose schema the API knows by itself: their names, what may be set of them, and what they cost.

import type Anthropic from '@anthropic-ai/sdk';

interface KnownTool {
  /** The only name that it may have; null for a toolset, which has none. */
  name: string | null;
  /** What only this type lets be set. */
  keys: readonly string[];
  /** Tokens of the definition that the model reads in its place. */
  tokens: number;
}

type KnownType = Exclude<Anthropic.ToolUnion['type'], 'custom' | null | undefined>;

const EXAMPLES = ['input_examples'];
const WEB = ['allowed_domains', 'blocked_domains', 'max_uses'];
const SEARCH = [...WEB, 'user_location'];
const FETCH = [...WEB, 'citations', 'max_content_tokens', 'url_sources'];

/** A type that the SDK gains is missed by the compiler here. The tokens of bash and the editors are the documented ones. */
const KNOWN: Readonly<Record<KnownType, KnownTool>> = {
  bash_20250124: known('bash', EXAMPLES, 245),
  text_editor_20250124: known('str_replace_editor', EXAMPLES, 700),
  text_editor_20250429: known('str_replace_based_edit_tool', EXAMPLES, 700),
  text_editor_20250728: known('str_replace_based_edit_tool', [...EXAMPLES, 'max_characters'], 700),
  memory_20250818: known('memory', EXAMPLES),
  browser_toolset_20260801: known(null, ['configs'], 5_000),
  computer_toolset_20260801: known(null, ['configs'], 3_000),
  web_search_20250305: known('web_search', SEARCH),
  web_search_20260209: known('web_search', SEARCH),
  web_search_20260318: known('web_search', [...SEARCH, 'response_inclusion']),
  web_fetch_20250910: known('web_fetch', FETCH),
  web_fetch_20260209: known('web_fetch', FETCH),
  web_fetch_20260309: known('web_fetch', [...FETCH, 'use_cache']),
  web_fetch_20260318: known('web_fetch', [...FETCH, 'use_cache', 'response_inclusion']),
  code_execution_20250522: known('code_execution'),
  code_execution_20250825: known('code_execution'),
  code_execution_20260120: known('code_execution'),
  code_execution_20260521: known('code_execution'),
  tool_search_tool_bm25: known('tool_search_tool_bm25'),
  tool_search_tool_bm25_20251119: known('tool_search_tool_bm25'),
  tool_search_tool_regex: known('tool_search_tool_regex'),
  tool_search_tool_regex_20251119: known('tool_search_tool_regex'),
};

export const KNOWN_TOOLS: ReadonlyMap<string, KnownTool> = new Map(Object.entries(KNOWN));

function known(name: string | null, keys: readonly string[] = [], tokens = 500): KnownTool {
  return { name, keys, tokens };
}
