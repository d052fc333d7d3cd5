import { z } from 'zod';
import { type Upstream, UpstreamIdSchema } from '../../schemas/upstreams.ts';
import { parseJsonPath } from './json-document.ts';
import { fillVariables, findVariableProblem, isHeaderText } from './variables.ts';

/** A text about which a function may find a problem. */
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

/** What an answer has to be, or it isn't the file (specification "Fetching"). */
const ExpectSchema = z.strictObject({
  min_bytes: Count.optional(),
  /** Entries of what `json_path` names, else rows of the file. */
  min_rows: Count.optional(),
  /** An array or object that must be there. */
  json_path: JsonPathText.optional(),
});

/** How an upstream that divides its answer into pages tells where the next one is. */
const PagesSchema = z.strictObject({
  /** Where the address of the next page stands; the last page has none there. */
  next: JsonPathText,
  /** The array of a page. */
  rows: JsonPathText,
  /** More pages than this are no answer. */
  max: z.number().int().min(1).max(1000).default(50),
});

/** One file that is fetched before a day is captured: an entry of `fetch` in `source.json` (specification "Fetching"). */
export const FetchEntrySchema = z.strictObject({
  /** Whose it is: an id of `upstreams`. */
  upstream: UpstreamIdSchema,
  url: textWithout(findUrlProblem),
  /** Where it is put, below the day's folder. */
  file: textWithout(findPathProblem),
  headers: z.record(textWithout(findHeaderNameProblem), textWithout(findHeaderProblem)).default({}),
  /** Whether the night goes on without it. */
  optional: z.boolean().default(false),
  /**
   * Whether the bytes of the last fetch stand in for an optional file that fails, so that the records of its upstream alone are
   * carried. Every SELECT tells the upstreams of its rows then.
   */
  carry: z.boolean().default(false),
  /**
   * Columns of a file that may be carried, each with its DuckDB type: as which SELECTs find it while no fetch has ever brought it.
   * Only where a SELECT doesn't say them itself.
   */
  columns: z.record(ColumnName, ColumnType).optional(),
  /** The folder, below the day's, into which the zip file is unpacked. */
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
  if (address.includes('${')) return 'a variable may stand in the query and in headers, not before the ?';
  const url = URL.parse(fillVariables(text, () => 'x'));
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must hold no user and no password';
  if (text.includes('#')) return 'must not have a part behind #';
  return findVariableProblem(query.join('?'));
}

function findFolderProblem(text: string): string | undefined {
  return text.endsWith('/') ? findPathProblem(text.slice(0, -1)) : 'must be a folder, with a / at its end';
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** They belong to the connection, or to what fetching makes of them. */
const RESERVED_HEADERS =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|content-length|accept-encoding|range|if-.*|proxy-.*)$/i;

function findHeaderNameProblem(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return `${JSON.stringify(name.slice(0, 100))} is no name of a header`;
  return RESERVED_HEADERS.test(name) ? `the header ${name} is not the source's to set` : undefined;
}

const HEADER_CHARACTERS_MAX = 1000;

function findHeaderProblem(value: string): string | undefined {
  if (value.length > HEADER_CHARACTERS_MAX) return `is longer than ${HEADER_CHARACTERS_MAX} characters`;
  return isHeaderText(value) ? findVariableProblem(value) : 'must be printable ASCII in one line';
}

/** What `source.json` says of upstreams. */
interface FetchList {
  readonly upstreams: readonly Upstream[];
  readonly fetch: readonly FetchEntry[];
}

/** What no entry can know of itself: names that stand twice or nowhere, files in each other's way, and keys that don't go together. */
export function checkFetchList({ upstreams, fetch }: FetchList, context: z.RefinementCtx): void {
  const add = (path: readonly (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path: [...path], message });
  for (const [index, upstream] of upstreams.entries()) {
    const { id } = upstream;
    if (upstreams.findIndex((other) => other.id === id) < index) add(['upstreams', index, 'id'], `${id} stands twice`);
    for (const key of ['url', 'terms_url'] as const) {
      if (hasUser(upstream[key])) add(['upstreams', index, key], 'must hold no user and no password');
    }
  }
  for (const [index, entry] of fetch.entries()) {
    const isKnown = upstreams.some(({ id }) => id === entry.upstream);
    if (!isKnown) add(['fetch', index, 'upstream'], `${entry.upstream} is no id of upstreams`);
    for (const [key, message] of contradictionsIn(entry)) add(['fetch', index, key], message);
  }
  for (const { index, message } of findCollisions(fetch)) add(['fetch', index, 'file'], message);
}

/** Everybody is shown these addresses, so that a secret in one is most likely a fetch's that was put into the wrong place. */
function hasUser(address: string | null): boolean {
  const url = address === null ? null : URL.parse(address);
  return url !== null && (url.username !== '' || url.password !== '');
}

/** Keys of an entry that don't go with others, each with why. */
function contradictionsIn(entry: FetchEntry): readonly (readonly [string, string])[] {
  const { carry, optional, columns, pages, unzip, file } = entry;
  const isPaged = pages !== undefined;
  const found: (readonly [string, string])[] = [];
  if (carry && !optional) found.push(['carry', 'only a file that is optional can be carried']);
  if (columns !== undefined && !carry) found.push(['columns', 'only a file with carry is read without rows']);
  if (isPaged && unzip !== undefined) found.push(['unzip', 'an answer in pages is no zip file']);
  if (isPaged && !/\.json$/i.test(file)) found.push(['file', 'pages are joined to a file that ends with .json']);
  return found;
}

const PATH_CHARACTERS_MAX = 200;
const SEGMENT = /^[A-Za-z0-9_@+=(),-][A-Za-z0-9._@+=(), -]*$/;

/** What a day's folder holds besides. */
export const DAY_FILES = { fetched: 'fetch.json', settings: 'source.json', sql: 'source.sql' } as const;

/**
 * The names of fetched files: where they may lie, and that no two are in each other's way.
 *
 * What is wrong with a path below a day's folder; undefined where a file may have it on every system.
 */
function findPathProblem(path: string): string | undefined {
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
function findCollisions(entries: readonly Placed[]): readonly { readonly index: number; readonly message: string }[] {
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

function placesOf(entry: Placed): readonly string[] {
  const folder = unzipFolderOf(entry);
  return folder === undefined ? [entry.file] : [entry.file, folder];
}

/** The folder, below the day's, into which a zip file is unpacked; undefined for any other file. */
export function unzipFolderOf({ unzip }: Pick<Placed, 'unzip'>): string | undefined {
  return unzip?.replace(/\/$/, '');
}

/** Whether one is the other, or lies below it; systems differ about capitals. */
function areInTheWay(one: string, other: string): boolean {
  const [a, b] = [`${one.toLowerCase()}/`, `${other.toLowerCase()}/`];
  return a.startsWith(b) || b.startsWith(a);
}
