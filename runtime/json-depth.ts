/** `[]` has one level. Not recursive, so deep values can't exhaust the stack. */
export function isNestedDeeper(value: unknown, levelsMax: number): boolean {
  let level = [value].filter(hasParts);
  for (let levels = 1; level.length > 0; levels += 1) {
    if (levels > levelsMax) return true;
    level = level.flatMap((parts) => Object.values(parts).filter(hasParts));
  }
  return false;
}

function hasParts(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
