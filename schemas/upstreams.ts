import { z } from 'zod';

/** Used in `source.json`, releases and reports. */
export const UpstreamIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be like models-dev: up to 64 of a-z, 0-9, dot, dash and underscore');

const Text = z.string().trim().min(1).max(1000);
const WebAddress = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
  .max(2048);

/** An origin of the source's data, and its terms (specification "Fetching"). Null where unknown. */
export const UpstreamSchema = z.strictObject({
  id: UpstreamIdSchema,
  name: Text,
  /** Home page. */
  url: WebAddress,
  /** Of the data, by its usual short name. */
  license: Text.nullable().default(null),
  terms_url: WebAddress.nullable().default(null),
  /** Must be displayed with the data. */
  attribution: Text.nullable().default(null),
  /** Whether the terms allow redistribution. */
  redistribution: z.boolean().default(false),
  /** When the terms were last read. */
  checked: z.iso.date().nullable().default(null),
});
export type Upstream = z.infer<typeof UpstreamSchema>;

/** The terms of records in a file of a snapshot, by the upstream that they come from. */
export const TermsSchema = z
  .strictObject({
    source: UpstreamIdSchema.describe('Id of the upstream'),
    license: UpstreamSchema.shape.license.unwrap().describe('Licence of its data'),
    redistribution: UpstreamSchema.shape.redistribution.unwrap().describe('Whether its terms allow redistribution'),
  })
  .meta({ id: 'Terms' });
export type Terms = z.infer<typeof TermsSchema>;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().nonnegative();

/** The folder below the day's, and the hash of all paths and hashes in it. */
export const UnzippedSchema = z.strictObject({ folder: z.string(), files: Count, bytes: Count, sha256: Sha256 });
export type UnzippedFolder = z.infer<typeof UnzippedSchema>;

/** One fetched file and its origin, never with a secret. */
export const FetchedFileSchema = z.strictObject({
  upstream: UpstreamIdSchema,
  /** As in `source.json`, with variables by name. */
  url: z.string(),
  file: z.string(),
  /**
   * `unchanged`: the upstream confirmed the bytes of an earlier fetch. `failed`: no file that day. `carried`: the
   * upstream failed; its last fetch shows which records to carry.
   */
  status: z.enum(['fetched', 'unchanged', 'failed', 'carried']),
  bytes: Count.nullable(),
  sha256: Sha256.nullable(),
  /** When these bytes were fetched. */
  fetched_at: z.iso.datetime().nullable(),
  /** When the upstream was last requested. */
  checked_at: z.iso.datetime(),
  /** Why there is no file, or why a later attempt on the day brought no newer one. */
  problem: z.string().nullable(),
  unzipped: UnzippedSchema.nullable(),
});
export type FetchedFile = z.infer<typeof FetchedFileSchema>;

/** Without the validators, which only the archive needs. */
export function fetchedFileFrom({ upstream, url, file, status, bytes, sha256, ...rest }: FetchedFile): FetchedFile {
  const { fetched_at, checked_at, problem, unzipped } = rest;
  return { upstream, url, file, status, bytes, sha256, fetched_at, checked_at, problem, unzipped };
}

/** In a release. */
export const ReleasedFileSchema = FetchedFileSchema.extend({
  /**
   * For a failed or carried file: the first of the consecutive days without a new one, in the nights of this series.
   */
  failed_since: z.iso.date().nullable(),
  /** For a failed file that no night of this series ever had, so that no record in force comes from it. */
  never_fetched: z.literal(true).optional(),
});
export type ReleasedFile = z.infer<typeof ReleasedFileSchema>;
