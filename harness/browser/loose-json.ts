// Reading JSON that code of the agent may have written: a wrong shape is an empty value, never an exception.

export type Loose = Record<string, unknown>;

export function asRecord(value: unknown): Loose {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Loose) : {};
}

export function asRecords(value: unknown): Loose[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function asNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
