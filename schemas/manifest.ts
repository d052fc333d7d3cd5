import { z } from 'zod';
import { DATASET_NAMES } from './datasets.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().nonnegative();

/** One file of a snapshot (SPEC "Snapshot manifest entry"); sizes in bytes, `content_*` of the uncompressed lines. */
export const DatasetFileSchema = z.strictObject({
  name: z.enum(DATASET_NAMES),
  format: z.literal('jsonl.gz'),
  records: Count,
  bytes: Count,
  sha256: Sha256,
  content_bytes: Count,
  content_sha256: Sha256,
});
export type DatasetFile = z.infer<typeof DatasetFileSchema>;

/** A snapshot's manifest entry, as `GET /v1/snapshots` will list it and as `snapshot/manifest.json` holds it. */
export const ManifestSchema = z.strictObject({
  id: z.string(),
  published_at: z.iso.datetime(),
  data_as_of: z.iso.datetime(),
  schema_version: z.string(),
  datasets: z.array(DatasetFileSchema),
  change_cursor: z.string(),
  prev_id: z.string().nullable(),
});
export type Manifest = z.infer<typeof ManifestSchema>;
