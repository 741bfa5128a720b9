// Which ids of a list somebody may have meant by one that is not in it. Pure.

const MOST = 3;

/** The nearest first; empty when none is near. Leading zeros, case and a missing dash make no difference. */
export function nearIds(wanted: string, ids: readonly string[]): string[] {
  const plain = plainId(wanted);
  const near = ids
    .map(id => ({ id, distance: distanceOf(plain, plainId(id)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(plain.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  const same = near.filter(({ distance }) => distance === 0);
  return (same.length > 0 ? same : near.slice(0, MOST)).map(({ id }) => id);
}

function plainId(id: string): string {
  return id
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/(\D|^)0+(?=\d)/g, '$1');
}

/** Letters to put in, take out or change, to get from one to the other. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
