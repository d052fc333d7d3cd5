import { z } from 'zod';
import { AppError } from '../../schemas/errors.ts';
import { DEFAULT_RANKING_METHOD, RankingMethodSchema } from '../../schemas/release.ts';
import { UpstreamSchema } from '../../schemas/upstreams.ts';
import { AliasFileSchema } from './alias-file.ts';
import { FetchEntrySchema } from './fetch-list/fetch-entry.ts';
import { checkFetchList } from './fetch-list/fetch-list.ts';
import { findJsonFault } from './json-fault.ts';
import { readText } from './read-text.ts';

const Fraction = z.number().min(0).max(1);

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
    /** Part of a dataset's records that may vanish in one night. */
    max_shrink: Fraction.default(0.3),
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
    ranking_method: RankingMethodSchema.default(DEFAULT_RANKING_METHOD),
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
