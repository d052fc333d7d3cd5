import { z } from 'zod';

/** How an upstream is called wherever it is named: in `source.json`, in a release, in reports. */
export const UpstreamIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be like models-dev: up to 64 of a-z, 0-9, dot, dash and underscore');

const Text = z.string().trim().min(1).max(1000);
const WebAddress = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
  .max(2048);

/** Whom a source's data comes from, and on which terms (specification "Fetching"). What isn't known is null. */
export const UpstreamSchema = z.strictObject({
  id: UpstreamIdSchema,
  /** For people. */
  name: Text,
  /** Its home page. */
  url: WebAddress,
  /** Licence of the data, by its usual short name. */
  license: Text.nullable().default(null),
  terms_url: WebAddress.nullable().default(null),
  /** The line that whoever shows the data has to show with it. */
  attribution: Text.nullable().default(null),
  /** Whether its terms allow to pass the data on. */
  redistribution: z.boolean().default(false),
  /** When somebody last read the terms. */
  checked: z.iso.date().nullable().default(null),
});
export type Upstream = z.infer<typeof UpstreamSchema>;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().nonnegative();

/** What a zip file became: its folder below the day's, and the hash of all paths and hashes in it. */
export const UnzippedSchema = z.strictObject({ folder: z.string(), files: Count, bytes: Count, sha256: Sha256 });
export type UnzippedFolder = z.infer<typeof UnzippedSchema>;

/** What became of one file that a source fetches: where it came from, never with a secret, and what it was. */
export const FetchedFileSchema = z.strictObject({
  upstream: UpstreamIdSchema,
  /** As `source.json` has it: variables by their names. */
  url: z.string(),
  file: z.string(),
  /**
   * `unchanged`: the upstream said that the bytes of an earlier fetch still hold. `failed`: there is no file that day. `carried`: the
   * upstream failed, and the bytes of its last fetch are there, to tell which records are its own and carried.
   */
  status: z.enum(['fetched', 'unchanged', 'failed', 'carried']),
  bytes: Count.nullable(),
  sha256: Sha256.nullable(),
  /** When these bytes came. */
  fetched_at: z.iso.datetime().nullable(),
  /** When the upstream was last asked. */
  checked_at: z.iso.datetime(),
  /** Why there is no file, or why a later attempt of the day brought no newer one. */
  problem: z.string().nullable(),
  unzipped: UnzippedSchema.nullable(),
});
export type FetchedFile = z.infer<typeof FetchedFileSchema>;

/** What is told of a file beside its day: what it may be asked for again by is the archive's own business. */
export function fetchedFileFrom({ upstream, url, file, status, bytes, sha256, ...rest }: FetchedFile): FetchedFile {
  const { fetched_at, checked_at, problem, unzipped } = rest;
  return { upstream, url, file, status, bytes, sha256, fetched_at, checked_at, problem, unzipped };
}

/** A fetched file as a release tells of it. */
export const ReleasedFileSchema = FetchedFileSchema.extend({
  /** Of a file that failed or is carried: the first of the days in a row without a new one, in the nights of this series. */
  failed_since: z.iso.date().nullable(),
  /** Of a file that failed: whether no night of this series ever had it, so that nothing in force comes from it. Absent else. */
  never_fetched: z.literal(true).optional(),
});
export type ReleasedFile = z.infer<typeof ReleasedFileSchema>;
