import { z } from 'zod';
import { UpstreamIdSchema } from '../../../schemas/upstreams.ts';
import { findPathProblem } from './fetch-paths.ts';
import { parseJsonPath } from './json-path.ts';
import { fillVariables, findVariableProblem } from './variables.ts';

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

/** Whether a text can be the value of a header. */
export function isHeaderText(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}
