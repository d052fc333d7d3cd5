import { z } from 'zod';
import { type Upstream, UpstreamIdSchema } from '../../schemas/upstreams.ts';
import { parseJsonPath } from './json-document.ts';
import { fillVariables, findVariableProblem, isHeaderText } from './variables.ts';

function textWithout(findProblem: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = findProblem(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

const JsonPathText = textWithout((text) =>
  parseJsonPath(text) === undefined ? 'must be a path such as $.data or $.links.next' : undefined,
);

const ColumnName = z.string().min(1).max(200);
const ColumnType = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9]*(?:\(\d+(?:, ?\d+)?\))?(?:\[\])?$/,
    'must be a DuckDB type such as VARCHAR, BIGINT, DOUBLE or VARCHAR[]',
  );

const Count = z.number().int().positive();

/** A response that fails these is not the file (specification "Fetching"). */
const ExpectSchema = z.strictObject({
  min_bytes: Count.optional(),
  /** Entries at `json_path`, else rows of the file. */
  min_rows: Count.optional(),
  /** An array or object that must exist. */
  json_path: JsonPathText.optional(),
});

/** Where a paginated response holds the address of the next page. */
const PagesSchema = z.strictObject({
  /** The last page has no address there. */
  next: JsonPathText,
  rows: JsonPathText,
  /** With more pages than this, the fetch fails. */
  max: z.number().int().min(1).max(1000).default(50),
});

/** One file to fetch before a day is captured: an entry of `fetch` in `source.json` (specification "Fetching"). */
export const FetchEntrySchema = z.strictObject({
  /** An id of `upstreams`. */
  upstream: UpstreamIdSchema,
  url: textWithout(findUrlProblem),
  /** Below the day's folder. */
  file: textWithout(findPathProblem),
  headers: z.record(textWithout(findHeaderNameProblem), textWithout(findHeaderProblem)).default({}),
  optional: z.boolean().default(false),
  /**
   * Whether an optional file that fails is replaced by its last fetch, so that only its upstream's records are carried.
   * Every SELECT must then name the upstreams of its rows.
   */
  carry: z.boolean().default(false),
  /**
   * Columns and DuckDB types for SELECTs while no fetch has ever brought a file that may be carried; only for SELECTs
   * that don't declare them.
   */
  columns: z.record(ColumnName, ColumnType).optional(),
  /** Where the zip file is unpacked, below the day's folder. */
  unzip: textWithout(findFolderProblem).optional(),
  pages: PagesSchema.optional(),
  expect: ExpectSchema.default({}),
});
export type FetchEntry = z.infer<typeof FetchEntrySchema>;
export type Expectation = FetchEntry['expect'];
export type Pages = NonNullable<FetchEntry['pages']>;

const URL_CHARACTERS_MAX = 2048;

function findUrlProblem(text: string): string | undefined {
  const [address = '', ...query] = text.split('?');
  if (text.length > URL_CHARACTERS_MAX) return `is longer than ${URL_CHARACTERS_MAX} characters`;
  if (address.includes('${')) return 'variables are allowed in the query and in headers, not before the ?';
  const url = URL.parse(fillVariables(text, () => 'x'));
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password';
  if (text.includes('#')) return 'must not have a fragment (#)';
  return findVariableProblem(query.join('?'));
}

function findFolderProblem(text: string): string | undefined {
  return text.endsWith('/') ? findPathProblem(text.slice(0, -1)) : 'must be a folder, with a / at its end';
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Set by the connection or by fetching itself. */
const RESERVED_HEADERS =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|accept-encoding|range|if-.*|proxy-.*)$/i;

function findHeaderNameProblem(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return `${JSON.stringify(name.slice(0, 100))} is not a header name`;
  return RESERVED_HEADERS.test(name) ? `a source can't set the header ${name}` : undefined;
}

const HEADER_CHARACTERS_MAX = 1000;

function findHeaderProblem(value: string): string | undefined {
  if (value.length > HEADER_CHARACTERS_MAX) return `is longer than ${HEADER_CHARACTERS_MAX} characters`;
  return isHeaderText(value) ? findVariableProblem(value) : 'must be printable ASCII in one line';
}

interface FetchList {
  readonly upstreams: readonly Upstream[];
  readonly fetch: readonly FetchEntry[];
}

/** Problems across entries: duplicate or unknown names, conflicting files, and keys that exclude each other. */
export function checkFetchList({ upstreams, fetch }: FetchList, context: z.RefinementCtx): void {
  const add = (path: readonly (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path: [...path], message });
  for (const [index, upstream] of upstreams.entries()) {
    const { id } = upstream;
    if (upstreams.findIndex((other) => other.id === id) < index) add(['upstreams', index, 'id'], `${id} appears twice`);
    for (const key of ['url', 'terms_url'] as const) {
      if (hasUser(upstream[key])) add(['upstreams', index, key], 'must not contain a user or password');
    }
  }
  for (const [index, entry] of fetch.entries()) {
    const isKnown = upstreams.some(({ id }) => id === entry.upstream);
    if (!isKnown) add(['fetch', index, 'upstream'], `${entry.upstream} is not an id in upstreams`);
    for (const [key, message] of contradictionsIn(entry)) add(['fetch', index, key], message);
  }
  for (const { index, message } of findCollisions(fetch)) add(['fetch', index, 'file'], message);
}

/** These addresses are public, so a secret in one is most likely misplaced. */
function hasUser(address: string | null): boolean {
  const url = address === null ? null : URL.parse(address);
  return url !== null && (url.username !== '' || url.password !== '');
}

/** Keys that exclude others, and why. */
function contradictionsIn(entry: FetchEntry): readonly (readonly [string, string])[] {
  const { carry, optional, columns, pages, unzip, file } = entry;
  const isPaged = pages !== undefined;
  const found: (readonly [string, string])[] = [];
  if (carry && !optional) found.push(['carry', 'only an optional file can be carried']);
  if (columns !== undefined && !carry) found.push(['columns', 'columns are allowed only with carry']);
  if (isPaged && unzip !== undefined) found.push(['unzip', "a response in pages can't be a zip file"]);
  if (isPaged && !/\.json$/i.test(file))
    found.push(['file', 'pages are joined into a file whose name must end in .json']);
  return found;
}

const PATH_CHARACTERS_MAX = 200;
const SEGMENT = /^[A-Za-z0-9_@+=(),-][A-Za-z0-9._@+=(), -]*$/;

/** Reserved names in a day's folder. */
export const DAY_FILES = { fetched: 'fetch.json', settings: 'source.json', sql: 'source.sql' } as const;

/** Undefined for a path below a day's folder that every file system allows. */
function findPathProblem(path: string): string | undefined {
  if (path.length === 0 || path.length > PATH_CHARACTERS_MAX) return `must have 1 to ${PATH_CHARACTERS_MAX} characters`;
  const isPlain = path.split('/').every((segment) => SEGMENT.test(segment) && !/[. ]$/.test(segment));
  if (!isPlain) return 'must be a path below the day, of letters, digits and . _ - @ + = ( ) , such as raw/models.json';
  const isTaken = Object.values(DAY_FILES).some((name) => name === path.toLowerCase());
  return isTaken ? `${path} is reserved for the night` : undefined;
}

interface Placed {
  readonly file: string;
  readonly unzip?: string | undefined;
}

function findCollisions(entries: readonly Placed[]): readonly { readonly index: number; readonly message: string }[] {
  const taken: { readonly path: string; readonly index: number }[] = [];
  const found: { readonly index: number; readonly message: string }[] = [];
  for (const [index, entry] of entries.entries()) {
    for (const path of placesOf(entry)) {
      const other = taken.find((one) => areInConflict(one.path, path));
      if (other === undefined) taken.push({ path, index });
      else found.push({ index, message: `${path} conflicts with ${other.path} of fetch[${other.index}]` });
    }
  }
  return found;
}

function placesOf(entry: Placed): readonly string[] {
  const folder = unzipFolderOf(entry);
  return folder === undefined ? [entry.file] : [entry.file, folder];
}

/** Below the day's folder; undefined for files that are not unpacked. */
export function unzipFolderOf({ unzip }: Pick<Placed, 'unzip'>): string | undefined {
  return unzip?.replace(/\/$/, '');
}

/** A file of an upstream that is off: SELECTs read it as empty, also where the day has it. */
export const OffFileSchema = z.strictObject({
  upstream: UpstreamIdSchema,
  file: z.string(),
  /** Of an unpacked zip file. */
  folder: z.string().nullable(),
  /** Column types, as far as the recipe lists them. */
  columns: z.record(z.string(), z.string()),
});
export type OffFile = z.infer<typeof OffFileSchema>;

/** For an upstream that is off. */
export function offFileFrom(entry: FetchEntry): OffFile {
  const { upstream, file, columns = {} } = entry;
  return { upstream, file, folder: unzipFolderOf(entry) ?? null, columns };
}

/** Whether one equals or contains the other; some file systems ignore case. */
function areInConflict(one: string, other: string): boolean {
  const [a, b] = [`${one.toLowerCase()}/`, `${other.toLowerCase()}/`];
  return a.startsWith(b) || b.startsWith(a);
}
