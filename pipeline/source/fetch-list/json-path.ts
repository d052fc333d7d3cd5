/** A place in a JSON document: names of members, and positions in arrays. */
export type JsonPath = readonly (string | number)[];

const STEP = /\.([A-Za-z_$][\w$-]*)|\['([^'\\]+)'\]|\[(\d{1,9})\]/y;

/** The path that a text such as `$.data.rows`, `$['data']` or `$.pages[0]` means; undefined where it means none. `$` is the whole. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (!text.startsWith('$')) return undefined;
  const path: (string | number)[] = [];
  for (let at = 1; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) return undefined;
    const [, name, quoted, position] = found;
    path.push(name ?? quoted ?? Number(position));
  }
  return path;
}

/** What stands there; undefined where nothing does. */
export function valueAt(document: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
    // It has the member: the check above says so, which the type of an object can't.
    return (value as Readonly<Record<string | number, unknown>>)[step];
  }, document);
}
