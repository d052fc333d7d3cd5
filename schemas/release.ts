import { z } from 'zod';
import { DATASET_NAMES } from './datasets.ts';
import { type Manifest, ManifestSchema } from './manifest.ts';
import { ReleasedFileSchema, UpstreamIdSchema, UpstreamSchema } from './upstreams.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().nonnegative();
const Day = z.iso.date();

function perDataset<T extends z.ZodType>(value: T) {
  return z.record(z.enum(DATASET_NAMES), value);
}

const METHOD_RULE = 'must be like bradley-terry: up to 64 of a-z, 0-9, dot, dash and underscore';
const RankingMethodSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, METHOD_RULE);

/** The method of all rankings, or by category (specification "Source settings"). */
export const RankingMethodsSchema = z.union([RankingMethodSchema, z.record(z.string(), RankingMethodSchema)], {
  error: `${METHOD_RULE}, or an object with one for each category`,
});
export type RankingMethods = z.infer<typeof RankingMethodsSchema>;

/** Null where unknown. */
export function methodOfCategory(methods: RankingMethods | null, category: string): string | null {
  if (methods === null || typeof methods === 'string') return methods;
  return Object.hasOwn(methods, category) ? (methods[category] ?? null) : null;
}

/** Identifies a release: day, run and hash of its release.json. */
export const ReleaseRefSchema = z.strictObject({ day: Day, run: z.string(), release_sha256: Sha256 });
export type ReleaseRef = z.infer<typeof ReleaseRefSchema>;

export const ReleaseFileSchema = z.strictObject({ path: z.string(), bytes: Count, sha256: Sha256 });
export type ReleaseFile = z.infer<typeof ReleaseFileSchema>;

/**
 * A damaged file that was rebuilt with other bytes but the same rows (decision 0044); replaces its entry in
 * release.json.
 */
export const RepairedFileSchema = z.strictObject({ ...ReleaseFileSchema.shape, repaired_at: z.iso.datetime() });

/** Why a night is held; in a release, what an operator accepted. */
export const HoldSchema = z.strictObject({
  /** Absent for holds of the day itself. */
  dataset: z.enum(DATASET_NAMES).optional(),
  rule: z.enum(['max_shrink', 'usual_shrink', 'max_suspect_fraction', 'day_ahead']),
  /** Absent for holds of a whole dataset. */
  upstream: UpstreamIdSchema.optional(),
  message: z.string(),
});
export type Hold = z.infer<typeof HoldSchema>;

/** With the newest day on which rows were counted. */
const UpstreamCountSchema = z.strictObject({ rows: Count, day: Day });
/** By dataset and upstream; unknown counts are absent. */
export const UpstreamCountsSchema = z.partialRecord(
  z.enum(DATASET_NAMES),
  z.record(UpstreamIdSchema, UpstreamCountSchema),
);
export type UpstreamCounts = z.infer<typeof UpstreamCountsSchema>;

/** Raised when a release's files change meaning: programs read only their own format. */
export const RELEASE_FORMAT = 2;

/**
 * `release.json`: what one night published (specification "Store layout"). Written once, before the catalog is swapped.
 */
export const ReleaseSchema = z.strictObject({
  format: z.literal(RELEASE_FORMAT),
  day: Day,
  run: z.string(),
  prev: ReleaseRefSchema.nullable(),
  /** The release with a future day that this one corrects (specification "A day that was wrong"). */
  redated_from: ReleaseRefSchema.optional(),
  tool_version: z.string(),
  schema_version: z.string(),
  data_as_of: z.iso.datetime(),
  published_at: z.iso.datetime(),
  /** Datasets captured this night; others were carried and have no point on this day. */
  captured: z.array(z.enum(DATASET_NAMES)),
  /** Newest day of capture, this one included. */
  last_captured: perDataset(Day.nullable()),
  records: perDataset(Count),
  events: z.strictObject({ upsert: Count, delete: Count }),
  /** Null when nothing changed. */
  first_seq: z.number().int().positive().nullable(),
  /** The feed's newest event after this night; 0 before any. */
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
  /** The snapshot in major versions under notice (specification "Record versions"); absent without any. */
  noticed_manifests: z.array(ManifestSchema).optional(),
  /** Absent where unknown. */
  ranking_method: RankingMethodsSchema.optional(),
  /**
   * When a version takes effect: the first event that sends an unchanged record again; these come last. Absent without
   * any.
   */
  first_renewal_seq: z.number().int().positive().optional(),
  /** Absent where the source lists none. */
  upstreams: z.array(UpstreamSchema).optional(),
  fetched: z.array(ReleasedFileSchema).optional(),
  /** Each upstream's rows, for the next night's guard; absent where the source lists no upstreams. */
  upstream_rows: UpstreamCountsSchema.optional(),
});
export type Release = z.infer<typeof ReleaseSchema>;

/** A release with its repaired files, as every reader must use it. */
export function withRepairs(release: Release, repaired: readonly ReleaseFile[] = []): Release {
  if (repaired.length === 0) return release;
  const files = release.files.map((file) => {
    const repair = repaired.find(({ path }) => path === file.path);
    return repair === undefined ? file : { path: file.path, bytes: repair.bytes, sha256: repair.sha256 };
  });
  return { ...release, files };
}

/** The snapshot in every written version, the one in force first. */
export function manifestsOf(release: Pick<Release, 'manifest' | 'noticed_manifests'>): readonly Manifest[] {
  return [release.manifest, ...(release.noticed_manifests ?? [])];
}

/** The day in a release's events, which a corrected day doesn't change. */
export function eventDayOf({ day, redated_from }: Pick<Release, 'day' | 'redated_from'>): string {
  return redated_from?.day ?? day;
}

export type SourceFile = Release['source_files'][number];
