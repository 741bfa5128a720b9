// What the Messages API refuses in a body of the right shape: one small rule each, in the order in which they are asked.

import type Anthropic from '@anthropic-ai/sdk';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { imageTypeOf, pngSize } from './image-bytes.js';
import { blocksOf, locatedBlocks, locatedBlocksDeep, type Message, resultBlocks } from './message-blocks.js';
import type { StandinModel } from './models.js';
import {
  automaticBreakpoint,
  explicitSegments,
  type Prompt,
  type Segment,
  totalTokens,
} from './prompt-segments.js';
import type { ThinkingMemory } from './thinking-memory.js';

const MOST_BREAKPOINTS = 4;
const LARGEST_IMAGE_BYTES = 5 * 1024 * 1024;
const LONGEST_SIDE = 8000;
/** With more pictures than this in a request, none may have a side longer than the second number. */
const MANY_IMAGES = 20;
const LONGEST_SIDE_OF_MANY = 2000;
const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

export interface Inspected {
  /** A body of the right shape. A request for a count has no max_tokens. */
  body: Prompt & { model: string; max_tokens?: number };
  model: StandinModel;
  /** The prompt with all breakpoints in place. */
  segments: readonly Segment[];
  memory: ThinkingMemory;
}

export interface Rule {
  readonly name: string;
  /** The message of the refusal, or undefined when there is nothing to refuse. */
  problem(inspected: Inspected): string | undefined;
}

export const rules: readonly Rule[] = [
  {
    name: 'the first message is from the user',
    problem: ({ body }) =>
      body.messages[0]?.role === 'user' ? undefined : 'messages: first message must use the "user" role',
  },
  {
    name: 'no message is empty',
    problem: ({ body }) => {
      const at = body.messages.findIndex(
        (message, index) => message.content.length === 0 && !isFinalAnswer(body.messages, index),
      );
      if (at === -1) return undefined;
      return `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
    },
  },
  {
    name: 'no breakpoint on empty text',
    problem: ({ body }) =>
      firstOf(locatedBlocksDeep(body.messages), ({ block, path }) =>
        block.type === 'text' && block.text === '' && block.cache_control
          ? `${path}.text: cache_control cannot be set for empty text blocks`
          : undefined,
      ),
  },
  {
    name: 'no text is blank',
    problem: ({ body }) =>
      firstOf(systemBlocks(body), (block, index) => blankText(block, `system.${index}`)) ??
      firstOf(locatedBlocksDeep(body.messages), ({ block, path }) =>
        block.type === 'text' ? blankText(block, path) : undefined,
      ),
  },
  {
    name: 'every block is in a message of its role',
    problem: ({ body }) =>
      firstOf(locatedBlocks(body.messages), ({ block, path, role }) => {
        const wanted = ROLE_OF_BLOCK[block.type];
        if (wanted === undefined || wanted === role) return undefined;
        return `${path}: \`${block.type}\` blocks can only be in \`${wanted}\` messages`;
      }),
  },
  {
    name: 'tool names are unique',
    problem: ({ body }) => {
      const names = toolNames(body);
      return names.length === new Set(names).size ? undefined : 'tools: Tool names must be unique.';
    },
  },
  {
    name: 'input schemas are plain objects at the top',
    problem: ({ body }) =>
      firstOf(customTools(body), ({ input_schema }, index) =>
        ['oneOf', 'allOf', 'anyOf'].some(key => key in input_schema)
          ? `tools.${index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
          : undefined,
      ),
  },
  {
    name: 'input schemas have simple property keys',
    problem: ({ body }) =>
      firstOf(customTools(body), ({ input_schema }, index) =>
        Object.keys(input_schema.properties ?? {}).every(key => PROPERTY_KEY.test(key))
          ? undefined
          : `tools.${index}.custom.input_schema.properties: Property keys should match pattern '${PROPERTY_KEY.source}'`,
      ),
  },
  {
    name: 'input schemas are valid schemas',
    problem: ({ body }) =>
      firstOf(customTools(body), ({ input_schema }, index) =>
        isJsonSchema(input_schema)
          ? undefined
          : `tools.${index}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`,
      ),
  },
  {
    name: 'a tool choice names a tool that is there',
    problem: ({ body }) => {
      const choice = body.tool_choice;
      if (choice === undefined) return undefined;
      if (toolNames(body).length === 0)
        return 'tool_choice: tool_choice may only be specified while providing tools';
      if (choice.type !== 'tool' || toolNames(body).includes(choice.name)) return undefined;
      return `tool_choice: Tool '${choice.name}' not found in provided tools`;
    },
  },
  {
    name: 'tool_use ids are unique',
    problem: ({ body }) => {
      const seen = new Set<string>();
      return firstOf(locatedBlocks(body.messages), ({ block, path }) => {
        if (block.type !== 'tool_use') return undefined;
        if (seen.has(block.id)) return `${path}: \`tool_use\` ids must be unique`;
        seen.add(block.id);
        return undefined;
      });
    },
  },
  {
    name: 'every tool_result has its tool_use',
    problem: ({ body }) =>
      firstOf(body.messages, (message, index) => {
        const called = toolUseIds(body.messages[index - 1]);
        return firstOf(blocksOf(message.content), (block, at) =>
          block.type === 'tool_result' && !called.includes(block.tool_use_id)
            ? `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
            : undefined,
        );
      }),
  },
  {
    name: 'every tool_use is answered first thing in the next message',
    problem: ({ body }) =>
      firstOf(body.messages, (message, index) => {
        const answered = leadingResultIds(body.messages[index + 1]);
        const open = toolUseIds(message).filter(id => !answered.includes(id));
        if (open.length === 0) return undefined;
        return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
      }),
  },
  {
    name: 'every tool_use has one result',
    problem: ({ body }) =>
      firstOf(body.messages, (message, index) => {
        const ids = leadingResultIds(message);
        const at = ids.findIndex((id, position) => ids.indexOf(id) < position);
        if (at === -1) return undefined;
        return `messages.${index}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${ids[at]}`;
      }),
  },
  {
    name: 'a result that is an error says why, in text',
    problem: ({ body }) =>
      firstOf(locatedBlocks(body.messages), ({ block, path }) => {
        if (block.type !== 'tool_result' || block.is_error !== true) return undefined;
        const inner = resultBlocks(block);
        if (inner.length === 0) return `${path}.tool_result: content cannot be empty if \`is_error\` is true`;
        if (inner.every(each => each.type === 'text')) return undefined;
        return `${path}.tool_result.content: all content must be type "text" if \`is_error\` is true`;
      }),
  },
  {
    name: 'at most four breakpoints',
    problem: ({ segments }) => {
      const found = segments.filter(segment => segment.breakpoint !== undefined).length;
      if (found <= MOST_BREAKPOINTS) return undefined;
      return `A maximum of ${MOST_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`;
    },
  },
  {
    name: 'the automatic breakpoint agrees with an explicit one',
    problem: ({ body }) => {
      const automatic = automaticBreakpoint(body, explicitSegments(body));
      const explicit = automatic?.segment.breakpoint;
      if (explicit === undefined || explicit === automatic?.lifetime) return undefined;
      return `${automatic?.segment.path}.cache_control.ttl: differs from the top-level cache_control, which marks the same block`;
    },
  },
  {
    name: 'no long-lived breakpoint behind a short-lived one',
    problem: ({ segments }) => {
      const short = segments.findIndex(segment => segment.breakpoint === '5m');
      const long = segments.find(
        (segment, index) => segment.breakpoint === '1h' && short !== -1 && index > short,
      );
      if (long === undefined) return undefined;
      return `${long.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`;
    },
  },
  {
    name: 'pictures are what they say and not too large',
    problem: ({ body }) => {
      const images = [...locatedBlocksDeep(body.messages)].filter(({ block }) => block.type === 'image');
      const longest = images.length > MANY_IMAGES ? LONGEST_SIDE_OF_MANY : LONGEST_SIDE;
      return firstOf(images, ({ block, path }) =>
        block.type === 'image' && block.source.type === 'base64'
          ? imageProblem(block.source, `${path}.image.source.base64`, longest)
          : undefined,
      );
    },
  },
  {
    name: 'no answer ends in thinking',
    problem: ({ body }) =>
      firstOf(body.messages, ({ role, content }, index) => {
        const last = blocksOf(content).at(-1)?.type;
        if (role !== 'assistant' || (last !== 'thinking' && last !== 'redacted_thinking')) return undefined;
        return `messages.${index}: The final block in an assistant message cannot be \`${last}\`.`;
      }),
  },
  {
    name: 'thinking comes back as it was sent',
    problem: ({ body, memory }) => memory.problem(body.messages, body.thinking?.type !== 'disabled'),
  },
  {
    name: 'a prefilled answer does not end in white space',
    problem: ({ body }) => {
      const text = prefill(body.messages);
      if (text === undefined || text === text.trimEnd()) return undefined;
      return 'messages: final assistant content cannot end with trailing whitespace';
    },
  },
  {
    name: 'only some models take a prefilled answer',
    problem: ({ body, model }) => {
      if (model.prefill || prefill(body.messages) === undefined) return undefined;
      return 'This model does not support assistant message prefill. The conversation must end with a user message.';
    },
  },
  {
    name: 'max_tokens is within the limit of the model',
    problem: ({ body, model }) => {
      if (body.max_tokens === undefined || body.max_tokens <= model.maxTokens) return undefined;
      return `max_tokens: ${body.max_tokens} > ${model.maxTokens}, which is the maximum allowed number of output tokens for ${model.id}`;
    },
  },
  {
    name: 'max_tokens leaves room behind the thinking',
    problem: ({ body }) => {
      if (body.thinking?.type !== 'enabled' || body.max_tokens === undefined) return undefined;
      if (body.max_tokens > body.thinking.budget_tokens) return undefined;
      return 'max_tokens: `max_tokens` must be greater than `thinking.budget_tokens`';
    },
  },
  {
    name: 'the prompt fits',
    problem: ({ segments, model }) => {
      const tokens = totalTokens(segments);
      if (tokens <= model.maxInputTokens) return undefined;
      return `prompt is too long: ${tokens} tokens > ${model.maxInputTokens} maximum`;
    },
  },
];

/** The message with which the API refuses the body, or undefined when it takes it. */
export function problemOf(inspected: Inspected): string | undefined {
  return firstOf(rules, rule => rule.problem(inspected));
}

const ROLE_OF_BLOCK: Partial<Record<string, Message['role']>> = {
  tool_use: 'assistant',
  server_tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_result: 'user',
  image: 'user',
  document: 'user',
  search_result: 'user',
};

function firstOf<T>(
  items: Iterable<T>,
  problem: (item: T, index: number) => string | undefined,
): string | undefined {
  let index = 0;
  for (const item of items) {
    const found = problem(item, index++);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isFinalAnswer(messages: readonly Message[], index: number): boolean {
  return index === messages.length - 1 && messages[index]?.role === 'assistant';
}

function systemBlocks({ system = [] }: Prompt): Anthropic.TextBlockParam[] {
  return typeof system === 'string' ? [] : system;
}

function blankText(block: Anthropic.TextBlockParam, path: string): string | undefined {
  if (block.text === '') return `${path}: text content blocks must be non-empty`;
  return block.text.trim() === ''
    ? `${path}: text content blocks must contain non-whitespace text`
    : undefined;
}

function toolNames({ tools = [] }: Prompt): string[] {
  return tools.flatMap(tool => ('name' in tool ? [tool.name] : []));
}

/** The tools that bring their own schema; the others leave a hole, so that indexes stay true. */
function customTools({ tools = [] }: Prompt): Anthropic.Tool[] {
  const noSchema: Anthropic.Tool = { name: '', input_schema: { type: 'object' } };
  return tools.map(tool => ('input_schema' in tool ? tool : noSchema));
}

const ajv = new Ajv2020({ strict: false, logger: false });

function isJsonSchema(schema: Anthropic.Tool.InputSchema): boolean {
  // A `$schema` of another draft is a matter of its keywords, which the 2020-12 meta-schema judges too.
  const { $schema: _, ...rest } = schema;
  return ajv.validateSchema(rest) === true;
}

function toolUseIds(message: Message | undefined): string[] {
  if (message?.role !== 'assistant') return [];
  return blocksOf(message.content).flatMap(block => (block.type === 'tool_use' ? [block.id] : []));
}

/** Ids of the tool results with which a user message begins. */
function leadingResultIds(message: Message | undefined): string[] {
  if (message?.role !== 'user') return [];
  const blocks = blocksOf(message.content);
  const end = blocks.findIndex(block => block.type !== 'tool_result');
  return blocks
    .slice(0, end === -1 ? blocks.length : end)
    .flatMap(block => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

function imageProblem(
  source: Anthropic.Base64ImageSource,
  path: string,
  longest: number,
): string | undefined {
  const bytes = Buffer.from(source.data, 'base64');
  const type = imageTypeOf(bytes);
  if (type === undefined) return `${path}: Could not process image`;
  if (type !== source.media_type) {
    return `${path}: The image was specified using the ${source.media_type} media type, but the image appears to be a ${type} image`;
  }
  if (bytes.length > LARGEST_IMAGE_BYTES) {
    return `${path}: image exceeds 5 MB maximum: ${bytes.length} bytes > ${LARGEST_IMAGE_BYTES} bytes`;
  }
  const size = pngSize(bytes);
  if (size === undefined || Math.max(size.width, size.height) <= longest) return undefined;
  const occasion = longest === LONGEST_SIDE ? '' : ' for many-image requests';
  return `${path}.data: At least one of the image dimensions exceed max allowed size${occasion}: ${longest} pixels`;
}

/** The last text of a conversation that ends with the assistant's words, unless a server tool was at work in it. */
function prefill(messages: readonly Message[]): string | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return undefined;
  const blocks = blocksOf(last.content);
  if (blocks.some(block => block.type === 'server_tool_use')) return undefined;
  const end = blocks.at(-1);
  return end?.type === 'text' ? end.text : '';
}
