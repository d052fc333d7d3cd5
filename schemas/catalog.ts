import { z } from 'zod';
import { DATASET_NAMES } from './datasets.ts';
import { type Release, ReleaseRefSchema, RepairedFileSchema } from './release.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The prunable parts of a release; history stays for ever. */
export const RELEASE_PARTS = ['snapshot', 'changes', 'state'] as const;
export type ReleasePart = (typeof RELEASE_PARTS)[number];

/** A live release, with what readers need before opening it. */
export const CatalogEntrySchema = z.strictObject({
  ...ReleaseRefSchema.shape,
  data_as_of: z.iso.datetime(),
  published_at: z.iso.datetime(),
  schema_version: z.string(),
  captured: z.array(z.enum(DATASET_NAMES)),
  first_seq: z.number().int().positive().nullable(),
  last_seq: z.number().int().nonnegative(),
  /** As in release.json. */
  redated_from: ReleaseRefSchema.optional(),
  parts: z.array(z.enum(RELEASE_PARTS)),
  /** Files rebuilt with other bytes than release.json records; absent without any. */
  repaired: z.array(RepairedFileSchema).optional(),
});
export type CatalogEntry = z.infer<typeof CatalogEntrySchema>;

/** The reconstructed pricing intervals in force (specification "Pricing backfill"); `run` names their object. */
export const PricingBackfillSchema = z.strictObject({
  run: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: Sha256,
  intervals: z.number().int().nonnegative(),
  /** First and last day with a reconstructed price; null without intervals. */
  first_day: z.iso.date().nullable(),
  last_day: z.iso.date().nullable(),
  table_sha256: Sha256,
});
export type PricingBackfill = z.infer<typeof PricingBackfillSchema>;

/** `catalog.json`: the store's only mutable object. Swapping it is the commit (specification "Conditional writes"). */
export const CatalogSchema = z.strictObject({
  format: z.literal(1),
  /** Counts the swaps, so that no two catalogs are equal. */
  generation: z.number().int().positive(),
  /** Oldest first. */
  releases: z.array(CatalogEntrySchema),
  /** Reconstructed days before the first release; absent or null without any. */
  backfill: z.strictObject({ pricing: PricingBackfillSchema.nullable() }).optional(),
});
export type Catalog = z.infer<typeof CatalogSchema>;

/**
 * The first violation of a catalog's order: days ascend, and each release's events follow those of the one before.
 * Undefined without any.
 */
export function findOrderFault({ releases }: Catalog): string | undefined {
  let before = { day: '', last_seq: 0 };
  for (const { day, first_seq: first, last_seq } of releases) {
    if (day <= before.day) return `${day} comes after ${before.day}`;
    const begins = first === null ? before.last_seq : first - 1;
    if (begins !== before.last_seq || last_seq < (first ?? last_seq) || (first === null && last_seq !== begins)) {
      return `the events of ${day} are ${first ?? 'none'} to ${last_seq}, those before it end at ${before.last_seq}`;
    }
    before = { day, last_seq };
  }
  return undefined;
}

/**
 * Identifies a series by the hash of its first release. Mirrors share it; rebuilding, pruning and swapping keep it.
 * Undefined before the first release.
 */
export function identityFromCatalog(catalog: Catalog | undefined): string | undefined {
  return catalog?.releases[0]?.release_sha256;
}

type Releases = { readonly releases: readonly CatalogEntry[] };

/** True where two catalogs name the same releases as far as both reach; corrected days don't count. */
export function isSameRecord(a: Releases, b: Releases): boolean {
  const reach = Math.min(a.releases.length, b.releases.length);
  const hashes = ({ releases }: Releases) =>
    releases.slice(0, reach).map(({ redated_from, release_sha256 }) => redated_from?.release_sha256 ?? release_sha256);
  return reach > 0 && hashes(a).join() === hashes(b).join();
}

/** True where a catalog begins with exactly the releases of an older one: what was derived from them still holds. */
export function isContinued(old: Releases, catalog: Releases): boolean {
  const hashes = ({ releases }: Releases) =>
    releases.slice(0, old.releases.length).map(({ release_sha256 }) => release_sha256);
  return old.releases.length > 0 && hashes(old).join() === hashes(catalog).join();
}

export function catalogEntryFromRelease(release: Release, releaseSha256: string): CatalogEntry {
  return {
    day: release.day,
    run: release.run,
    release_sha256: releaseSha256,
    data_as_of: release.data_as_of,
    published_at: release.published_at,
    schema_version: release.schema_version,
    captured: release.captured,
    first_seq: release.first_seq,
    last_seq: release.last_seq,
    ...(release.redated_from === undefined ? {} : { redated_from: release.redated_from }),
    parts: [...RELEASE_PARTS],
  };
}
