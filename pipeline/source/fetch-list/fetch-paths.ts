/** The names of fetched files: where they may lie, and that no two are in each other's way. */

const PATH_CHARACTERS_MAX = 200;
const SEGMENT = /^[A-Za-z0-9_@+=(),-][A-Za-z0-9._@+=(), -]*$/;

/** What a day's folder holds besides. */
export const DAY_FILES = { fetched: 'fetch.json', settings: 'source.json', sql: 'source.sql' } as const;

/** What is wrong with a path below a day's folder; undefined where a file may have it on every system. */
export function findPathProblem(path: string): string | undefined {
  if (path.length === 0 || path.length > PATH_CHARACTERS_MAX) return `must have 1 to ${PATH_CHARACTERS_MAX} characters`;
  const isPlain = path.split('/').every((segment) => SEGMENT.test(segment) && !/[. ]$/.test(segment));
  if (!isPlain) return 'must be a path below the day, of letters, digits and . _ - @ + = ( ) , such as raw/models.json';
  const isTaken = Object.values(DAY_FILES).some((name) => name === path.toLowerCase());
  return isTaken ? `${path} is the night's own file` : undefined;
}

/** What an entry of `fetch` puts into the day's folder. */
interface Placed {
  readonly file: string;
  readonly unzip?: string | undefined;
}

/** Each entry that is in the way of one before it, by its position, with the reason. */
export function findCollisions(
  entries: readonly Placed[],
): readonly { readonly index: number; readonly message: string }[] {
  const taken: { readonly path: string; readonly index: number }[] = [];
  const found: { readonly index: number; readonly message: string }[] = [];
  for (const [index, entry] of entries.entries()) {
    for (const path of placesOf(entry)) {
      const other = taken.find((one) => areInTheWay(one.path, path));
      if (other === undefined) taken.push({ path, index });
      else found.push({ index, message: `${path} is in the way of ${other.path} of fetch[${other.index}]` });
    }
  }
  return found;
}

function placesOf({ file, unzip }: Placed): readonly string[] {
  return unzip === undefined ? [file] : [file, unzip.replace(/\/$/, '')];
}

/** Whether one is the other, or lies below it; systems differ about capitals. */
function areInTheWay(one: string, other: string): boolean {
  const [a, b] = [`${one.toLowerCase()}/`, `${other.toLowerCase()}/`];
  return a.startsWith(b) || b.startsWith(a);
}
