// The shape of a request's body, as a schema, and what the API says of a body that has another shape.

import type Anthropic from '@anthropic-ai/sdk';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { KNOWN_TOOLS } from './known-tools.js';

export type Endpoint = 'messages' | 'count_tokens';

type Schema = Record<string, unknown>;

const string: Schema = { type: 'string' };
const object: Schema = { type: 'object' };
const boolean: Schema = { type: 'boolean' };
const nullable = (type: string): Schema => ({ type: [type, 'null'] });
const oneOf = (...values: (string | null)[]): Schema => ({ enum: values });
const positive: Schema = { type: 'integer', minimum: 1 };

/** An object with exactly these keys; those whose name ends in `?` may be absent. */
function shape(keys: Record<string, Schema>): Schema {
  const names = Object.keys(keys);
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(keys).map(([name, value]) => [name.replace('?', ''), value]),
    ),
    required: names.filter(name => !name.endsWith('?')),
    additionalProperties: false,
  };
}

/** One of several objects, told apart by their `type`. */
function tagged(variants: Record<string, Record<string, Schema>>): Schema {
  return {
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: Object.entries(variants).map(([type, keys]) => shape({ type: { const: type }, ...keys })),
  };
}

const cacheControl: Schema = {
  ...shape({ type: { const: 'ephemeral' }, 'ttl?': oneOf('5m', '1h') }),
  type: ['object', 'null'],
};
const cached = { 'cache_control?': cacheControl };
const toolId: Schema = { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' };
const toolName: Schema = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' };

const text = { text: string, ...cached, 'citations?': nullable('array') };
const image = {
  source: tagged({
    base64: { media_type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'), data: string },
    url: { url: string },
    file: { file_id: string },
  }),
  ...cached,
  'transformations?': nullable('object'),
};
const document = {
  source: object,
  ...cached,
  'citations?': nullable('object'),
  'context?': nullable('string'),
  'title?': nullable('string'),
};
const searchResult = {
  source: string,
  title: string,
  content: { type: 'array' },
  ...cached,
  'citations?': object,
};

const resultContent: Schema = {
  type: ['string', 'array'],
  items: tagged({ text, image, document, search_result: searchResult }),
};

const content: Schema = {
  type: ['string', 'array'],
  items: tagged({
    text,
    image,
    document,
    search_result: searchResult,
    thinking: { thinking: string, signature: { type: 'string', minLength: 1 } },
    redacted_thinking: { data: string },
    tool_use: {
      id: toolId,
      name: toolName,
      input: object,
      ...cached,
      'caller?': object,
      'toolset_name?': nullable('string'),
    },
    tool_result: {
      tool_use_id: toolId,
      'content?': resultContent,
      'is_error?': boolean,
      ...cached,
      'toolset_name?': nullable('string'),
    },
    // Comes back after `pause_turn`. What server tools answer is not played by the stand-in.
    server_tool_use: { id: toolId, name: string, input: object, ...cached, 'caller?': object },
  }),
};

const customTool = shape({
  'type?': oneOf('custom', null),
  name: toolName,
  'description?': string,
  input_schema: { type: 'object', required: ['type'], properties: { type: { const: 'object' } } },
  ...cached,
  'strict?': boolean,
  'defer_loading?': boolean,
  'eager_input_streaming?': nullable('boolean'),
  'input_examples?': { type: 'array', items: object },
  'allowed_callers?': { type: 'array' },
});

const knownKeys = {
  ...cached,
  'strict?': boolean,
  'defer_loading?': boolean,
  'allowed_callers?': { type: 'array' },
};

const knownTools = tagged(
  Object.fromEntries(
    [...KNOWN_TOOLS].map(([type, { name, keys }]) => [
      type,
      {
        ...(name === null ? cached : { name: { const: name }, ...knownKeys }),
        ...Object.fromEntries(keys.map(key => [`${key}?`, {}])),
      },
    ]),
  ),
);

/** A tool whose schema the API knows itself: any that names a type other than `custom`. */
const namesType: Schema = {
  properties: { type: { type: 'string', not: { const: 'custom' } } },
  required: ['type'],
};

const tool: Schema = {
  type: 'object',
  allOf: [
    { if: namesType, else: customTool },
    { if: { not: namesType }, else: knownTools },
  ],
};

/** How thinking and tool choice may be set. */
const thinking = tagged({
  enabled: { budget_tokens: { type: 'integer', minimum: 1024 }, 'display?': nullable('string') },
  adaptive: { 'display?': nullable('string') },
  between_tools: {},
  disabled: {},
});
const toolChoice = tagged({
  auto: { 'disable_parallel_tool_use?': boolean },
  any: { 'disable_parallel_tool_use?': boolean },
  tool: { name: string, 'disable_parallel_tool_use?': boolean },
  none: {},
});

const countKeys = {
  model: { type: 'string', minLength: 1 },
  messages: {
    type: 'array',
    minItems: 1,
    items: shape({ role: oneOf('user', 'assistant'), content }),
  },
  cache_control: cacheControl,
  output_config: object,
  speed: oneOf('standard', 'fast', null),
  system: { type: ['string', 'array'], items: tagged({ text }) },
  thinking,
  tool_choice: toolChoice,
  tools: { type: 'array', items: tool },
} satisfies Record<BodyKey<Anthropic.MessageCountTokensParams>, Schema>;

const messageKeys = {
  ...countKeys,
  max_tokens: positive,
  container: { type: ['string', 'object', 'null'] },
  diagnostics: nullable('object'),
  inference_geo: nullable('string'),
  metadata: shape({ 'user_id?': nullable('string') }),
  service_tier: oneOf('auto', 'standard_only'),
  stop_sequences: { type: 'array', items: string },
  stream: boolean,
} satisfies Record<BodyKey<Anthropic.MessageCreateParams>, Schema>;

/** The parameters that travel in the body: a new one in the SDK's types is missed by the compiler here. */
type BodyKey<Params> = Exclude<keyof Params, 'user_profile_id' | 'workspace_id'>;

const SCHEMAS: Record<Endpoint, Schema> = {
  messages: bodySchema(messageKeys, ['model', 'max_tokens', 'messages']),
  count_tokens: bodySchema(countKeys, ['model', 'messages']),
};

function bodySchema(properties: Record<string, Schema>, required: string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const compiled: Partial<Record<Endpoint, ValidateFunction>> = {};

/** What is wrong with the shape of `body`, in the API's words; undefined when nothing is. */
export function shapeProblem(endpoint: Endpoint, body: unknown): string | undefined {
  compiled[endpoint] ??= new Ajv2020({ strict: false, discriminator: true }).compile(SCHEMAS[endpoint]);
  const validate = compiled[endpoint];
  if (validate(body)) return undefined;
  const error = validate.errors?.find(each => each.keyword !== 'if');
  return error === undefined ? 'Input is not valid' : sentence(error, body);
}

function sentence(error: ErrorObject, body: unknown): string {
  const word = WORDS[error.keyword];
  const { key, says } = word?.(error.params) ?? { says: error.message ?? 'Input is not valid' };
  const steps = error.instancePath.split('/').slice(1).map(unescapePointer);
  const place = placeOf(key === undefined ? steps : [...steps, key], body);
  return place === '' ? says : `${place}: ${says}`;
}

interface Saying {
  /** The key that is missing or too many. */
  key?: string;
  says: string;
}

/** How the API words each kind of mismatch. */
const WORDS: Record<string, (params: Record<string, unknown>) => Saying> = {
  required: params => ({ key: String(params.missingProperty), says: 'Field required' }),
  additionalProperties: params => ({
    key: String(params.additionalProperty),
    says: 'Extra inputs are not permitted',
  }),
  type: params => ({ says: `Input should be a valid ${[params.type].flat().map(typeWord).join(' or ')}` }),
  const: params => ({ says: `Input should be '${params.allowedValue}'` }),
  enum: params => ({ says: `Input should be ${listed(params.allowedValues)}` }),
  minimum: params => ({ says: `Input should be greater than or equal to ${params.limit}` }),
  minItems: () => ({ says: 'at least one message is required' }),
  minLength: () => ({ says: 'String should have at least 1 character' }),
  pattern: params => ({ says: `String should match pattern '${params.pattern}'` }),
  discriminator: params => ({
    says: `Input tag '${params.tagValue}' found using '${params.tag}' does not match any of the expected tags`,
  }),
};

const TYPE_WORDS: Record<string, string> = { object: 'dictionary', array: 'list' };

function typeWord(type: unknown): string {
  return TYPE_WORDS[String(type)] ?? String(type);
}

function listed(values: unknown): string {
  return [values]
    .flat()
    .map(value => (value === null ? 'null' : `'${value}'`))
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');
}

/** The keys under which an object with a tag may stand; in lists it is told by its index. */
const TAGGED_KEYS = ['source', 'thinking', 'tool_choice'];

/** The place in the API's form: with dots, and with the tag of an object between its own step and the next one. */
function placeOf(steps: readonly string[], body: unknown): string {
  const place: string[] = [];
  let value = body;
  for (const [index, step] of steps.entries()) {
    place.push(step);
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
    const isLast = index === steps.length - 1;
    const isTagged = TAGGED_KEYS.includes(step) || (/^\d+$/.test(step) && steps[index - 1] !== 'messages');
    if (isTagged && !isLast) place.push(...tagOf(value, steps[index - 1]));
  }
  return place.join('.');
}

function tagOf(value: unknown, list: string | undefined): string[] {
  const type: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : undefined;
  if (typeof type === 'string') return [type];
  return list === 'tools' ? ['custom'] : [];
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
