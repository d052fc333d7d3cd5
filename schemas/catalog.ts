import { z } from 'zod';
import { DATASET_NAMES } from './datasets.ts';
import { type Release, ReleaseRefSchema, RepairedFileSchema } from './release.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The parts of a release that pruning may take away; history stays for ever. */
export const RELEASE_PARTS = ['snapshot', 'changes', 'state'] as const;
export type ReleasePart = (typeof RELEASE_PARTS)[number];

/** A live release, with what a reader needs before opening it. */
export const CatalogEntrySchema = z.strictObject({
  ...ReleaseRefSchema.shape,
  data_as_of: z.iso.datetime(),
  published_at: z.iso.datetime(),
  schema_version: z.string(),
  captured: z.array(z.enum(DATASET_NAMES)),
  first_seq: z.number().int().positive().nullable(),
  last_seq: z.number().int().nonnegative(),
  /** As in release.json: the release of a day in the future that this one is with its right day. */
  redated_from: ReleaseRefSchema.optional(),
  parts: z.array(z.enum(RELEASE_PARTS)),
  /** Files that were rebuilt into other bytes than release.json records; absent where none was. */
  repaired: z.array(RepairedFileSchema).optional(),
});
export type CatalogEntry = z.infer<typeof CatalogEntrySchema>;

/**
 * The pricing intervals reconstructed from a table that are in force (specification "Pricing backfill"); `run` names their
 * object.
 */
export const PricingBackfillSchema = z.strictObject({
  run: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: Sha256,
  intervals: z.number().int().nonnegative(),
  /** The first and last day with a reconstructed price; null where there are no intervals. */
  first_day: z.iso.date().nullable(),
  last_day: z.iso.date().nullable(),
  /** Of the table's file, as it was given. */
  table_sha256: Sha256,
});
export type PricingBackfill = z.infer<typeof PricingBackfillSchema>;

/** `catalog.json`: the one mutable object of the store. Swapping it is the commit (specification "Conditional writes"). */
export const CatalogSchema = z.strictObject({
  format: z.literal(1),
  /** Counts the swaps, so that no two catalogs have the same bytes. */
  generation: z.number().int().positive(),
  /** Every live release, oldest first. */
  releases: z.array(CatalogEntrySchema),
  /** What was reconstructed for the days before the first release; absent or null where nothing was. */
  backfill: z.strictObject({ pricing: PricingBackfillSchema.nullable() }).optional(),
});
export type Catalog = z.infer<typeof CatalogSchema>;

/**
 * Where the releases of a catalog don't follow from each other: days ascend, and the events of each begin behind those of the
 * one before. Undefined where they do.
 */
export function findOrderFault({ releases }: Catalog): string | undefined {
  let before = { day: '', last_seq: 0 };
  for (const { day, first_seq: first, last_seq } of releases) {
    if (day <= before.day) return `${day} stands behind ${before.day}`;
    const begins = first === null ? before.last_seq : first - 1;
    if (begins !== before.last_seq || last_seq < (first ?? last_seq) || (first === null && last_seq !== begins)) {
      return `the events of ${day} are ${first ?? 'none'} to ${last_seq}, those before it end at ${before.last_seq}`;
    }
    before = { day, last_seq };
  }
  return undefined;
}

/**
 * What tells one record from another: the hash of its first release, which names a run that no other store has. A mirror has the
 * identity of its origin, and a catalog that is rebuilt, pruned or swapped keeps it. Undefined before the first release.
 */
export function identityFromCatalog(catalog: Catalog | undefined): string | undefined {
  return catalog?.releases[0]?.release_sha256;
}

type Releases = { readonly releases: readonly CatalogEntry[] };

/**
 * True where two catalogs are of one record: as far as both reach, they name the same releases, from the first on. One that was given
 * its right day has the same events, so it is the same.
 */
export function isSameRecord(a: Releases, b: Releases): boolean {
  const reach = Math.min(a.releases.length, b.releases.length);
  const hashes = ({ releases }: Releases) =>
    releases.slice(0, reach).map(({ redated_from, release_sha256 }) => redated_from?.release_sha256 ?? release_sha256);
  return reach > 0 && hashes(a).join() === hashes(b).join();
}

/** True where a catalog names all releases of an older one just as that does, so that what was made of those still holds. */
export function isContinued(old: Releases, catalog: Releases): boolean {
  const hashes = ({ releases }: Releases) =>
    releases.slice(0, old.releases.length).map(({ release_sha256 }) => release_sha256);
  return old.releases.length > 0 && hashes(old).join() === hashes(catalog).join();
}

/** A release's line in the catalog. */
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
