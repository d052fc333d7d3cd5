import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { RankingMethodsSchema } from '../../schemas/release.ts';
import { UpstreamSchema } from '../../schemas/upstreams.ts';
import { AliasFileSchema } from './aliases.ts';
import { checkFetchList, FetchEntrySchema } from './fetch-list.ts';
import { findJsonFault } from './json-document.ts';
import { readText } from './source-folder.ts';

const Fraction = z.number().min(0).max(1);

/** Nights from which on a median and a spread say anything: fewer, and two odd ones among them decide. */
export const USUAL_NIGHTS_MIN = 10;
const USUAL_NIGHTS_MAX = 100;

/** With fewer nights than the fewest that say what is usual it would be off without anybody knowing; each night costs a request. */
const UsualNights = z
  .number()
  .int()
  .max(USUAL_NIGHTS_MAX)
  .refine((nights) => nights === 0 || nights >= USUAL_NIGHTS_MIN, `must be 0, or at least ${USUAL_NIGHTS_MIN}`);

/** Upstreams, and files to fetch, of one source: far above what people write by hand. */
const [UPSTREAMS_MAX, FETCHES_MAX] = [50, 500];

/**
 * `source.json`: the limits of a night, what an operator has accepted, and what is fetched from whom (specification "Source
 * settings", "Fetching"). Every value has a default; an unknown key is refused, so that a misspelt limit can't be silently
 * without effect.
 */
export const SourceSettingsSchema = z
  .strictObject({
    /** Bad rows of a dataset past which the night is rejected, as a part of its rows … */
    max_bad_fraction: Fraction.default(0.01),
    /** … but never fewer than this many rows. */
    max_bad_rows: z.number().int().nonnegative().default(10),
    /** Part of a dataset's records, or of an upstream's rows in it, that may vanish in one night, whatever is usual … */
    max_shrink: Fraction.default(0.3),
    /** … and parts and numbers up to which fewer of them hold nothing; between the two it is judged by what is usual: */
    min_shrink: Fraction.default(0.04),
    min_shrink_records: z.number().int().nonnegative().default(10),
    /** How many spreads above the median of the last nights is still usual, */
    usual_spreads: z.number().min(0).max(100).default(6),
    /** and how many of the last nights; 0 judges by `max_shrink` alone. */
    usual_nights: UsualNights.default(30),
    /** Part of a dataset's rows that may be suspects. */
    max_suspect_fraction: Fraction.default(0.2),
    /** Plausible prices per million tokens, lowest and highest; 0 is always plausible. */
    price_range: z
      .tuple([z.number().positive(), z.number().positive()])
      .refine(([low, high]) => low <= high, 'the lowest comes first')
      .default([0.0001, 10_000]),
    /** How many times a plausible price may rise or fall in one night. */
    max_price_ratio: z.number().min(1).default(1000),
    /** Captured days after which an unchanged jump is believed. */
    suspect_days: z.number().int().positive().default(14),
    /** Limits of the machine below those that the operator has configured; a larger number has no effect. */
    max_rows: z.number().int().positive().optional(),
    max_file_bytes: z.number().int().positive().optional(),
    max_ratio: z.number().min(1).optional(),
    sql_timeout_seconds: z.number().positive().optional(),
    /** How the rankings of the source are made; told by the API, without effect on the night. */
    ranking_method: RankingMethodsSchema.optional(),
    /** Suspects to let in, as `pricing:<entity_id>`. */
    accept: z.array(z.string()).default([]),
    /** Whom the data comes from. */
    upstreams: z.array(UpstreamSchema).max(UPSTREAMS_MAX).default([]),
    /** The file with the names of models at its upstreams; none where it isn't told. */
    aliases: AliasFileSchema.optional(),
    /** What is fetched before a day is captured. */
    fetch: z.array(FetchEntrySchema).max(FETCHES_MAX).default([]),
  })
  .superRefine(checkFetchList);
export type SourceSettings = z.infer<typeof SourceSettingsSchema>;

/** The settings in a file, each as its default where there is no file; rejects with `source_rejected`. */
export async function loadSettings(path: string | undefined): Promise<SourceSettings> {
  if (path === undefined) return SourceSettingsSchema.parse({});
  const result = SourceSettingsSchema.safeParse(await readJson(path));
  if (result.success) return result.data;
  throw new AppError('source_rejected', `${path}: ${result.error.issues.map(describeIssue).join('; ')}`);
}

/** Where it is wrong, such as `fetch[2].expect.min_rows`, and what is. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  // Of a key of a record zod says in its own words that it is wrong, and beside them why.
  const message = issue.code === 'invalid_key' ? issue.issues.map((inner) => inner.message).join(', ') : issue.message;
  return place === '' ? message : `${place.slice(1)}: ${message}`;
}

/** Far above any that people write. */
const JSON_BYTES_MAX = 1 << 20;

async function readJson(path: string): Promise<unknown> {
  const text = await readText(path, JSON_BYTES_MAX);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('source_rejected', `${path} is not JSON: ${findJsonFault(text)}`, { cause });
  }
}

/** What a file of a source may take of the machine. */
export interface ScanLimits {
  /** Longest line of a JSON Lines or CSV file, in bytes. */
  readonly lineBytesMax: number;
  /** Largest file after unpacking, and largest rows of a dataset, in bytes. */
  readonly fileBytesMax: number;
  /** Most rows of a dataset. */
  readonly rowsMax: number;
  /** How many times its own size a file may become, unpacked or in the database; see {@link unpackedBytesMax}. */
  readonly ratioMax: number;
}

/** What a source may take of the machine. */
export interface CaptureLimits extends ScanLimits {
  /** For one SELECT of `source.sql`. */
  readonly sqlTimeoutMs: number;
}

/** Up to this size a file's ratio doesn't matter: small files of equal rows are packed well. */
const RATIO_FREE_BYTES = 64 * 1024 * 1024;

/** What a file of so many bytes may become when it is unpacked or read, in bytes. */
export function unpackedBytesMax(bytes: number, { fileBytesMax, ratioMax }: ScanLimits): number {
  return Math.min(fileBytesMax, Math.max(RATIO_FREE_BYTES, Math.floor(bytes * ratioMax)));
}

/** An operator's limits, each lowered to what the source itself sets: a source can never raise one. */
export function limitsFromSettings(limits: CaptureLimits, settings: SourceSettings): CaptureLimits {
  return {
    ...limits,
    rowsMax: Math.min(limits.rowsMax, settings.max_rows ?? limits.rowsMax),
    fileBytesMax: Math.min(limits.fileBytesMax, settings.max_file_bytes ?? limits.fileBytesMax),
    ratioMax: Math.min(limits.ratioMax, settings.max_ratio ?? limits.ratioMax),
    sqlTimeoutMs: Math.min(limits.sqlTimeoutMs, (settings.sql_timeout_seconds ?? Number.POSITIVE_INFINITY) * 1000),
  };
}

/** More came out of a source than its limits allow; the message says what, for whoever knows where from. */
export class TooMuch extends Error {}
