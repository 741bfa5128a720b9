// Text without half characters: a lone surrogate cannot be sent, and one that got into a conversation spoils all that follows.

/** `value` with every lone surrogate in its strings and names replaced by U+FFFD; the same object when there is none. */
export function wellFormed<T>(value: T): T {
  return mended(value) as T;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map(mended);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    const [newName, newField] = [name.toWellFormed(), mended(field)];
    return { name: newName, field: newField, isSame: newName === name && newField === field };
  });
  if (fields.every(({ isSame }) => isSame)) return value;
  return Object.fromEntries(fields.map(({ name, field }) => [name, field]));
}
