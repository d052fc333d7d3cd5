import { z } from 'zod';
import { type Day, isDay } from '../runtime/day.ts';
import { DATASET_NAMES } from './datasets.ts';
import { TermsSchema } from './upstreams.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().nonnegative();

/**
 * One file of a snapshot (specification "Snapshots and manifests"); sizes in bytes, `content_*` of the uncompressed
 * lines.
 */
export const DatasetFileSchema = z
  .strictObject({
    name: z.enum(DATASET_NAMES).describe('The dataset'),
    format: z.literal('jsonl.gz').describe('JSON Lines, compressed with gzip'),
    records: Count.describe('Records, one per line'),
    bytes: Count.describe('Size of the compressed file'),
    sha256: Sha256.describe('SHA-256 of the compressed file, in hex'),
    content_bytes: Count.describe('Size of the uncompressed lines'),
    content_sha256: Sha256.describe('SHA-256 of the uncompressed lines, in hex'),
    terms: z
      .array(TermsSchema)
      .optional()
      .describe('By upstream whose records are in the file; absent if none is known'),
  })
  .meta({ id: 'DatasetFile' });
export type DatasetFile = z.infer<typeof DatasetFileSchema>;

/** As in `snapshot/manifest.json` and in responses. */
export const ManifestSchema = z.strictObject({
  id: z.string().describe('Stable id: the day'),
  published_at: z.iso.datetime().describe('When the files became downloadable'),
  data_as_of: z.iso.datetime().describe('Point in time that the data reflect'),
  schema_version: z.string().describe('Of the records of every file, major.minor'),
  datasets: z.array(DatasetFileSchema).describe('The files'),
  change_cursor: z.string().describe('Cursor that continues the change feed from this snapshot'),
  prev_id: z.string().nullable().describe('The previous snapshot; null for the first'),
});
export type Manifest = z.infer<typeof ManifestSchema>;

export interface SnapshotName {
  readonly day: Day;
  /** The major version of a snapshot written during its notice; null for the day's own. */
  readonly noticedMajor: number | null;
}

/** The day; `2026-11-20-v2` for a version under notice. */
export function idFromSnapshot({ day, noticedMajor }: SnapshotName): string {
  return noticedMajor === null ? day : `${day}-v${noticedMajor}`;
}

const SNAPSHOT_ID = /^(\d{4}-\d{2}-\d{2})(?:-v([1-9]\d{0,5}))?$/;

/** The snapshot may not exist; undefined for other text. */
export function snapshotFromId(id: string): SnapshotName | undefined {
  const [, day, major] = SNAPSHOT_ID.exec(id) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  return { day, noticedMajor: major === undefined ? null : Number(major) };
}
