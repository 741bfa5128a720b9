// A request as the model reads it: one run of segments, tools first, then system, then messages.

import type Anthropic from '@anthropic-ai/sdk';
import { KNOWN_TOOLS } from './known-tools.js';
import { type Block, locatedBlocks, type ResultBlock } from './message-blocks.js';
import { tokensOfBlock, tokensOfJson } from './tokens.js';

export type Lifetime = '5m' | '1h';

export interface Segment {
  path: string;
  /** What the cache compares: role and content, without the breakpoints themselves. */
  key: string;
  tokens: number;
  /** A cache breakpoint stands at its end. */
  breakpoint: Lifetime | undefined;
  /** A breakpoint that the request sets by itself may land here. */
  cacheable: boolean;
}

/** What the prompt is made of; requests for an answer and for a count both have it. */
export type Prompt = Pick<
  Anthropic.MessageCreateParams,
  'tools' | 'system' | 'messages' | 'tool_choice' | 'thinking' | 'cache_control'
>;

/** Where a breakpoint may be written. */
type CacheControl = Anthropic.CacheControlEphemeral | null | undefined;

/** All segments of a prompt with every breakpoint in place, the automatic one too. */
export function segmentsOf(prompt: Prompt): Segment[] {
  const segments = explicitSegments(prompt);
  const automatic = automaticBreakpoint(prompt, segments);
  if (automatic !== undefined) automatic.segment.breakpoint ??= automatic.lifetime;
  return segments;
}

/** The same without the breakpoint that top-level `cache_control` sets. */
export function explicitSegments(prompt: Prompt): Segment[] {
  return [...toolSegments(prompt), ...systemSegments(prompt), ...messageSegments(prompt)];
}

/** The segment that top-level `cache_control` marks: the last one that can be cached. */
export function automaticBreakpoint(prompt: Prompt, segments: readonly Segment[]) {
  const lifetime = lifetimeOf(prompt.cache_control);
  const segment = segments.findLast(each => each.cacheable);
  return lifetime === undefined || segment === undefined ? undefined : { segment, lifetime };
}

export function totalTokens(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.tokens, 0);
}

function toolSegments({ tools = [] }: Prompt): Segment[] {
  return tools.map((tool, index) => {
    const { cache_control, ...rest } = { cache_control: undefined, ...tool };
    const json = JSON.stringify(rest);
    const tokens = tokensOfJson(json) + (KNOWN_TOOLS.get(tool.type ?? '')?.tokens ?? 0);
    return segment(`tools.${index}`, `tool:${json}`, tokens, lifetimeOf(cache_control));
  });
}

function systemSegments({ system = [] }: Prompt): Segment[] {
  const blocks = typeof system === 'string' ? [{ type: 'text' as const, text: system }] : system;
  return blocks.map((block, index) => {
    const json = JSON.stringify(bare(block));
    return segment(`system.${index}`, `system:${json}`, tokensOfJson(json), lifetimeOf(block.cache_control));
  });
}

function messageSegments(prompt: Prompt): Segment[] {
  // A change of these two invalidates the cache of the messages, not that of tools and system.
  const settings = JSON.stringify([prompt.tool_choice ?? null, prompt.thinking ?? null]);
  return [...locatedBlocks(prompt.messages)].map(({ path, role, block }, index) => {
    const content = bare(block);
    const key = `${index === 0 ? settings : ''}${role}:${JSON.stringify(content)}`;
    const thinking = block.type === 'thinking' || block.type === 'redacted_thinking';
    const blank = block.type === 'text' && block.text === '';
    return {
      ...segment(path, key, tokensOfBlock(content), breakpointOf(block)),
      cacheable: !thinking && !blank,
    };
  });
}

function segment(path: string, key: string, tokens: number, breakpoint: Lifetime | undefined): Segment {
  return { path, key, tokens, breakpoint, cacheable: true };
}

/** A breakpoint inside a tool result counts at the end of the result. */
function breakpointOf(block: Block): Lifetime | undefined {
  const own = 'cache_control' in block ? lifetimeOf(block.cache_control) : undefined;
  if (own !== undefined || block.type !== 'tool_result' || typeof block.content === 'string') return own;
  return block.content
    ?.map(inner => ('cache_control' in inner ? lifetimeOf(inner.cache_control) : undefined))
    .findLast(lifetime => lifetime !== undefined);
}

function lifetimeOf(control: CacheControl): Lifetime | undefined {
  return control ? (control.ttl ?? '5m') : undefined;
}

/** A block without its breakpoints: moving them does not change what the model reads. */
function bare<B extends Block | ResultBlock>(block: B): B {
  const copy = { ...block };
  if ('cache_control' in copy) delete copy.cache_control;
  if (copy.type === 'tool_result' && Array.isArray(copy.content)) {
    return { ...copy, content: copy.content.map(inner => bare(inner)) };
  }
  return copy;
}
