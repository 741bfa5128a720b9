// The tools of a session as the API and the loop need them: sorted definitions and checked calls.

import { Ajv, type ValidateFunction } from 'ajv';
import type { ToolDefinition } from '../model/model.js';
import type { Tool } from './tool.js';

export type CheckedCall = { ok: true; tool: Tool; input: unknown } | { ok: false; problem: string };

export class ToolSet {
  /** Sorted by name, so that the cached prefix never depends on the order in which tools were made. */
  readonly definitions: ToolDefinition[];
  readonly #tools: Map<string, { tool: Tool; validate: ValidateFunction }>;

  constructor(tools: readonly Tool[]) {
    const ajv = new Ajv({ allErrors: true, strict: true });
    this.#tools = new Map(tools.map(tool => [tool.name, { tool, validate: ajv.compile(tool.schema) }]));
    if (this.#tools.size !== tools.length) throw new Error('two tools have the same name');
    this.definitions = tools
      .map(({ name, description, schema }) => ({
        name,
        description,
        input_schema: schema as ToolDefinition['input_schema'],
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
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
      problem: `${name} was not run: ${problems.join('; ')}. ${describeSchema(known.tool)}`,
    };
  }
}

function describeSchema({ name, schema }: Tool): string {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([field, value]) => {
    const type = typeof value === 'object' && value.type ? String(value.type) : 'value';
    return `${field}${required.has(field) ? '' : '?'}: ${type}`;
  });
  return `It takes ${name}({ ${fields.join(', ')} }).`;
}
