/**
 * `fetch.json` in a day's folder: what was fetched into it, from where and when (specification "Fetching"). It is replaced as a whole
 * after every file, so that a fetch that was killed goes on where it was; a day whose record isn't finished is never captured.
 */
import { randomUUID } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type FetchedFile, FetchedFileSchema, UpstreamSchema } from '../../../schemas/upstreams.ts';
import { DAY_FILES } from '../../source/fetch-list/fetch-paths.ts';

/** The folder, below the day's, into which a zip file is unpacked, and the columns that the recipe says. */
const CarrySchema = z.object({ folder: z.string().nullable(), columns: z.record(z.string(), z.string()) });

/** A file with what its upstream calls that version of it. */
const RecordedFileSchema = FetchedFileSchema.extend({
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  /** Of a file that may be carried: what a SELECT has to know of it while no fetch has ever brought it. Absent else. */
  carry: CarrySchema.optional(),
});
export type RecordedFile = z.infer<typeof RecordedFileSchema>;

/** What could not be had, from whom, from where and why. */
export function describeFailure({ upstream, url, file, problem }: FetchedFile): string {
  return `${file} of ${upstream} could not be fetched from ${url}: ${problem}`;
}

/** A file of the source itself, as its day has it. */
const OwnFileSchema = z.strictObject({
  file: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type OwnFile = z.infer<typeof OwnFileSchema>;

/** Raised when the file changes meaning. */
const RECORD_FORMAT = 1;

const FetchRecordSchema = z.strictObject({
  format: z.literal(RECORD_FORMAT),
  day: z.iso.date(),
  /** When this fetch, or the one that it goes on with, began. */
  started_at: z.iso.datetime(),
  /** When every required file was there; null until then. */
  finished_at: z.iso.datetime().nullable(),
  upstreams: z.array(UpstreamSchema).readonly(),
  files: z.array(RecordedFileSchema).readonly(),
  /** Files that need not be fetched again while this fetch isn't finished. */
  done: z.array(z.string()).readonly(),
  own: z.array(OwnFileSchema).readonly(),
  /** Whether files may be carried, so that rows have to name their upstreams. */
  carries: z.boolean(),
});
export type FetchRecord = z.infer<typeof FetchRecordSchema>;

/** The record in a day's folder; undefined where there is none that can be read. */
export async function readFetchRecord(folder: string): Promise<FetchRecord | undefined> {
  try {
    return FetchRecordSchema.parse(JSON.parse(await readFile(join(folder, DAY_FILES.fetched), 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Puts a record into a day's folder, in one step.
 * @param partials folder for what is on its way
 */
export async function writeFetchRecord(
  folder: string,
  partials: string,
  record: Omit<FetchRecord, 'format'>,
): Promise<void> {
  const text = `${JSON.stringify({ format: RECORD_FORMAT, ...record }, null, 2)}\n`;
  await writeWhole(join(folder, DAY_FILES.fetched), partials, text);
}

/**
 * Writes a file that is there as a whole or not at all.
 * @param partials folder for what is on its way
 */
export async function writeWhole(path: string, partials: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(partials, randomUUID());
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
