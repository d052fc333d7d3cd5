import { z } from 'zod';
import { DATASET_NAMES } from './datasets.ts';
import { type Manifest, ManifestSchema } from './manifest.ts';
import { ReleasedFileSchema, UpstreamIdSchema, UpstreamSchema } from './upstreams.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().nonnegative();
const Day = z.iso.date();

/** A value for each dataset. */
function perDataset<T extends z.ZodType>(value: T) {
  return z.record(z.enum(DATASET_NAMES), value);
}

const METHOD_RULE = 'must be like bradley-terry: up to 64 of a-z, 0-9, dot, dash and underscore';
const RankingMethodSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, METHOD_RULE);

/** How rankings are made, as their source says: all of them, or by category (specification "Source settings"). */
export const RankingMethodsSchema = z.union([RankingMethodSchema, z.record(z.string(), RankingMethodSchema)], {
  error: `${METHOD_RULE}, or an object with one for each category`,
});
export type RankingMethods = z.infer<typeof RankingMethodsSchema>;

/** How the ranking of a category is made; null where nobody said. */
export function methodOfCategory(methods: RankingMethods | null, category: string): string | null {
  if (methods === null || typeof methods === 'string') return methods;
  return Object.hasOwn(methods, category) ? (methods[category] ?? null) : null;
}

/** What points at a release without doubt: its day, its run and the hash of its release.json. */
export const ReleaseRefSchema = z.strictObject({ day: Day, run: z.string(), release_sha256: Sha256 });
export type ReleaseRef = z.infer<typeof ReleaseRefSchema>;

/** A file of a release; `path` is relative to the release's prefix. */
export const ReleaseFileSchema = z.strictObject({ path: z.string(), bytes: Count, sha256: Sha256 });
export type ReleaseFile = z.infer<typeof ReleaseFileSchema>;

/**
 * A file of a live release that was damaged and has been rebuilt into other bytes with the same rows (decision 0044): what it is
 * now, in place of what release.json says.
 */
export const RepairedFileSchema = z.strictObject({ ...ReleaseFileSchema.shape, repaired_at: z.iso.datetime() });

/** What holds a night; in a release, what an operator accepted. */
export const HoldSchema = z.strictObject({
  /** Absent where it is about the day as such. */
  dataset: z.enum(DATASET_NAMES).optional(),
  rule: z.enum(['max_shrink', 'usual_shrink', 'max_suspect_fraction', 'day_ahead']),
  /** Whose rows it is about; absent where it is about the dataset as a whole. */
  upstream: UpstreamIdSchema.optional(),
  message: z.string(),
});
export type Hold = z.infer<typeof HoldSchema>;

/** Rows of an upstream in a dataset, and the newest day on which they were counted. */
const UpstreamCountSchema = z.strictObject({ rows: Count, day: Day });
/** By dataset and upstream; what isn't known is absent. */
export const UpstreamCountsSchema = z.partialRecord(
  z.enum(DATASET_NAMES),
  z.record(UpstreamIdSchema, UpstreamCountSchema),
);
export type UpstreamCounts = z.infer<typeof UpstreamCountsSchema>;

/** Raised when a release's files change meaning: a program reads releases of its own format alone. */
export const RELEASE_FORMAT = 2;

/** `release.json`: what one night published (specification "Store layout"). Written once, before the catalog is swapped. */
export const ReleaseSchema = z.strictObject({
  format: z.literal(RELEASE_FORMAT),
  day: Day,
  run: z.string(),
  prev: ReleaseRefSchema.nullable(),
  /** The release of a day in the future that this one is, with its right day (specification "A day that was wrong"). */
  redated_from: ReleaseRefSchema.optional(),
  tool_version: z.string(),
  schema_version: z.string(),
  data_as_of: z.iso.datetime(),
  published_at: z.iso.datetime(),
  /** Datasets whose file was there this night; the others were carried and have no point on this day. */
  captured: z.array(z.enum(DATASET_NAMES)),
  /** The newest day on which each dataset was captured, this one included. */
  last_captured: perDataset(Day.nullable()),
  records: perDataset(Count),
  events: z.strictObject({ upsert: Count, delete: Count }),
  /** The night's first event; null when nothing changed. */
  first_seq: z.number().int().positive().nullable(),
  /** The newest event of the whole feed after this night; 0 before any. */
  last_seq: Count,
  quarantined: perDataset(Count),
  orphans: perDataset(Count),
  suspects_pending: Count,
  accepted: z.array(HoldSchema),
  source_files: z.array(
    z.strictObject({ name: z.string(), dataset: z.enum(DATASET_NAMES).nullable(), bytes: Count, sha256: Sha256 }),
  ),
  files: z.array(ReleaseFileSchema),
  manifest: ManifestSchema,
  /** The same snapshot in the major versions under notice (specification "Record versions"); absent where there is none. */
  noticed_manifests: z.array(ManifestSchema).optional(),
  /** How the rankings in force were made; absent where nobody said. */
  ranking_method: RankingMethodsSchema.optional(),
  /**
   * In a night with which a version comes into force: the first of the events that send an unchanged record anew, which are
   * the night's last ones; absent where there is none.
   */
  first_renewal_seq: z.number().int().positive().optional(),
  /** Whom the source names, and what was fetched from them for this night; each absent where there is nothing. */
  upstreams: z.array(UpstreamSchema).optional(),
  fetched: z.array(ReleasedFileSchema).optional(),
  /** How many rows of each upstream the source gave, by which the next night is judged; absent where it lists none. */
  upstream_rows: UpstreamCountsSchema.optional(),
});
export type Release = z.infer<typeof ReleaseSchema>;

/** A release with the files as they are after repairs; every reader of files goes by this. */
export function withRepairs(release: Release, repaired: readonly ReleaseFile[] = []): Release {
  if (repaired.length === 0) return release;
  const files = release.files.map((file) => {
    const repair = repaired.find(({ path }) => path === file.path);
    return repair === undefined ? file : { path: file.path, bytes: repair.bytes, sha256: repair.sha256 };
  });
  return { ...release, files };
}

/** A release's snapshot in every version in which it was written, the one in force first. */
export function manifestsOf(release: Pick<Release, 'manifest' | 'noticed_manifests'>): readonly Manifest[] {
  return [release.manifest, ...(release.noticed_manifests ?? [])];
}

/** The day that a release's events say, which stays when it is given another one. */
export function eventDayOf({ day, redated_from }: Pick<Release, 'day' | 'redated_from'>): string {
  return redated_from?.day ?? day;
}

export type SourceFile = Release['source_files'][number];
