import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { RankingMethodsSchema } from '../../schemas/release.ts';
import { type Upstream, UpstreamSchema } from '../../schemas/upstreams.ts';
import { AliasFileSchema } from './aliases.ts';
import { checkFetchList, type FetchEntry, FetchEntrySchema } from './fetch-list.ts';
import { findJsonFault } from './json-document.ts';
import { readText } from './source-folder.ts';

const Fraction = z.number().min(0).max(1);

/** With fewer nights, two odd ones could decide the median and spread. */
export const USUAL_NIGHTS_MIN = 10;
const USUAL_NIGHTS_MAX = 100;

/** A number below the minimum would silently switch the check off; each night costs a request. */
const UsualNights = z
  .number()
  .int()
  .max(USUAL_NIGHTS_MAX)
  .refine((nights) => nights === 0 || nights >= USUAL_NIGHTS_MIN, `must be 0, or at least ${USUAL_NIGHTS_MIN}`);

/** An upstream that is off is neither fetched nor read. Releases never have this key. */
const SourceUpstreamSchema = UpstreamSchema.extend({ off: z.boolean().default(false) });

interface Switchable {
  readonly upstreams: readonly Upstream[];
  readonly fetch: readonly FetchEntry[];
  readonly off: { readonly upstreams: readonly Upstream[]; readonly fetch: readonly FetchEntry[] };
}

/** Far above what people write by hand. */
const [UPSTREAMS_MAX, FETCHES_MAX] = [50, 500];

/**
 * `source.json`: limits of a night, accepted items, and what to fetch from whom (specification "Source settings",
 * "Fetching"). Unknown keys are refused, so that a misspelt limit isn't silently ignored.
 */
export const SettingsFileSchema = z
  .strictObject({
    /** Bad rows of a dataset past which the night is rejected, as a fraction of its rows … */
    max_bad_fraction: Fraction.default(0.01),
    /** … but never fewer than this many rows. */
    max_bad_rows: z.number().int().nonnegative().default(10),
    /** Fraction of a dataset's records, or of an upstream's rows in it, that may vanish in one night at most. */
    max_shrink: Fraction.default(0.3),
    /** Losses up to these never hold; those in between are compared with past nights: */
    min_shrink: Fraction.default(0.04),
    min_shrink_records: z.number().int().nonnegative().default(10),
    /** spreads above the median that are still usual, */
    usual_spreads: z.number().min(0).max(100).default(6),
    /** and past nights that count; 0 applies `max_shrink` alone. */
    usual_nights: UsualNights.default(30),
    max_suspect_fraction: Fraction.default(0.2),
    /** Plausible prices per million tokens, lowest and highest; 0 is always plausible. */
    price_range: z
      .tuple([z.number().positive(), z.number().positive()])
      .refine(([low, high]) => low <= high, 'the lowest comes first')
      .default([0.0001, 10_000]),
    /** How many times a plausible price may rise or fall in one night. */
    max_price_ratio: z.number().min(1).default(1000),
    /** Captured days after which an unchanged jump is accepted. */
    suspect_days: z.number().int().positive().default(14),
    /** Lower the operator's limits; larger numbers have no effect. */
    max_rows: z.number().int().positive().optional(),
    max_file_bytes: z.number().int().positive().optional(),
    max_ratio: z.number().min(1).optional(),
    sql_timeout_seconds: z.number().positive().optional(),
    /** Method of the source's rankings; published by the API, without effect on the night. */
    ranking_method: RankingMethodsSchema.optional(),
    /** Suspects to admit, as `pricing:<entity_id>`. */
    accept: z.array(z.string()).default([]),
    upstreams: z.array(SourceUpstreamSchema).max(UPSTREAMS_MAX).default([]),
    /** File with the upstreams' names of models. */
    aliases: AliasFileSchema.optional(),
    fetch: z.array(FetchEntrySchema).max(FETCHES_MAX).default([]),
  })
  .superRefine(checkFetchList);

/** `upstreams` and `fetch` have only what is on, `off` has the rest. */
export const SourceSettingsSchema = SettingsFileSchema.transform(({ upstreams, ...settings }) => {
  const idsOff = upstreams.flatMap(({ id, off }) => (off ? [id] : []));
  const listed = upstreams.map(({ off: _, ...upstream }) => upstream);
  const none: Switchable['off'] = { upstreams: [], fetch: [] };
  return switchOff({ ...settings, upstreams: listed, off: none }, idsOff);
});
export type SourceSettings = z.infer<typeof SourceSettingsSchema>;

/** @param ids others than those of `upstreams` change nothing */
export function switchOff<S extends Switchable>(settings: S, ids: readonly string[]): S {
  const { upstreams, fetch, off } = settings;
  const isOff = (id: string) => ids.includes(id);
  return {
    ...settings,
    upstreams: upstreams.filter(({ id }) => !isOff(id)),
    fetch: fetch.filter(({ upstream }) => !isOff(upstream)),
    off: {
      upstreams: [...off.upstreams, ...upstreams.filter(({ id }) => isOff(id))],
      fetch: [...off.fetch, ...fetch.filter(({ upstream }) => isOff(upstream))],
    },
  };
}

/** Defaults without a file; rejects with `source_rejected`. */
export async function loadSettings(path: string | undefined): Promise<SourceSettings> {
  if (path === undefined) return SourceSettingsSchema.parse({});
  const result = SourceSettingsSchema.safeParse(await readJson(path));
  if (result.success) return result.data;
  throw new AppError('source_rejected', `${path}: ${result.error.issues.map(describeIssue).join('; ')}`);
}

/** Begins with the place, such as `fetch[2].expect.min_rows`. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  // For a wrong record key, zod puts the reason into inner issues.
  const message = issue.code === 'invalid_key' ? issue.issues.map((inner) => inner.message).join(', ') : issue.message;
  return place === '' ? message : `${place.slice(1)}: ${message}`;
}

/** Far above any file written by hand. */
const JSON_BYTES_MAX = 1 << 20;

async function readJson(path: string): Promise<unknown> {
  const text = await readText(path, JSON_BYTES_MAX);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('source_rejected', `${path} is not JSON: ${findJsonFault(text)}`, { cause });
  }
}

export interface ScanLimits {
  /** Longest line of a JSON Lines or CSV file. */
  readonly lineBytesMax: number;
  /** Largest unpacked file, and largest rows of a dataset. */
  readonly fileBytesMax: number;
  readonly rowsMax: number;
  /** Growth of a file on unpacking or reading; see {@link unpackedBytesMax}. */
  readonly ratioMax: number;
}

export interface CaptureLimits extends ScanLimits {
  /** For one SELECT of `source.sql`. */
  readonly sqlTimeoutMs: number;
}

/** Ratios below this size don't matter: small files of equal rows compress well. */
const RATIO_FREE_BYTES = 64 * 1024 * 1024;

/** Bytes that a file of this size may become, unpacked or read. */
export function unpackedBytesMax(bytes: number, { fileBytesMax, ratioMax }: ScanLimits): number {
  return Math.min(fileBytesMax, Math.max(RATIO_FREE_BYTES, Math.floor(bytes * ratioMax)));
}

/** A source can lower the operator's limits, never raise them. */
export function limitsFromSettings(limits: CaptureLimits, settings: SourceSettings): CaptureLimits {
  return {
    ...limits,
    rowsMax: Math.min(limits.rowsMax, settings.max_rows ?? limits.rowsMax),
    fileBytesMax: Math.min(limits.fileBytesMax, settings.max_file_bytes ?? limits.fileBytesMax),
    ratioMax: Math.min(limits.ratioMax, settings.max_ratio ?? limits.ratioMax),
    sqlTimeoutMs: Math.min(limits.sqlTimeoutMs, (settings.sql_timeout_seconds ?? Number.POSITIVE_INFINITY) * 1000),
  };
}

/** A source exceeded a limit; the message says which, and the caller adds the origin. */
export class TooMuch extends Error {}
