// The tools of a session as the API and the loop need them: definitions and checked calls.

import { Ajv, type ValidateFunction } from 'ajv';
import { INVALID_JSON } from '../model/assemble-answer.js';
import { isRecord } from '../model/is-record.js';
import type { ToolDefinition } from '../model/model.js';
import type { Tool } from './tool.js';
import { NO_TRAINED_TYPES, type TrainedTypes, toolDefinitions } from './tool-definitions.js';

export type CheckedCall = { ok: true; tool: Tool; input: unknown } | { ok: false; problem: string };

export class ToolSet {
  readonly definitions: (ToolDefinition & { name: string })[];
  /** By the tool's own name, and by the one of its trained form: a call is checked alike whatever it is called. */
  readonly #tools = new Map<string, { tool: Tool; validate: ValidateFunction }>();

  constructor(tools: readonly Tool[], accepted: TrainedTypes = NO_TRAINED_TYPES) {
    const ajv = new Ajv({ allErrors: true, strict: true });
    for (const tool of tools) {
      const known = { tool, validate: ajv.compile(tool.schema) };
      for (const name of new Set([tool.name, tool.trained?.name ?? tool.name])) {
        if (this.#tools.has(name)) throw new Error(`two tools have the name ${name}`);
        this.#tools.set(name, known);
      }
    }
    this.definitions = toolDefinitions(tools, accepted);
  }

  /** The tool of a call, if it exists and takes this input; otherwise what would work, for the model. */
  check(name: string, input: unknown): CheckedCall {
    const known = this.#tools.get(name);
    if (!known) {
      return {
        ok: false,
        problem: `There is no tool ${name}. The tools are: ${this.definitions.map(tool => tool.name).join(', ')}.`,
      };
    }
    if (isRecord(input) && INVALID_JSON in input) {
      return {
        ok: false,
        problem: `${name} was not run: its input is not one whole JSON object. ${describeSchema(name, known.tool)}`,
      };
    }
    if (known.validate(input)) return { ok: true, tool: known.tool, input };
    const problems = (known.validate.errors ?? []).map(error => {
      const where =
        error.instancePath === '' ? 'the input' : error.instancePath.slice(1).replaceAll('/', '.');
      const extra = error.keyword === 'additionalProperties' ? `: ${error.params.additionalProperty}` : '';
      const allowed =
        error.keyword === 'enum' ? `: ${(error.params.allowedValues as unknown[]).join(', ')}` : '';
      return `${where} ${error.message}${extra}${allowed}`;
    });
    return {
      ok: false,
      problem: `${name} was not run: ${problems.join('; ')}. ${describeSchema(name, known.tool)}`,
    };
  }
}

function describeSchema(name: string, { toldSchema, schema: checked }: Tool): string {
  const schema = toldSchema ?? checked;
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([field, value]) => {
    const type = typeof value === 'object' && value.type ? String(value.type) : 'value';
    return `${field}${required.has(field) ? '' : '?'}: ${type}`;
  });
  return `It takes ${name}({ ${fields.join(', ')} }).`;
}
