/**
 * `fetch.json` in a day's folder: what was fetched, from where and when (specification "Fetching"). It is replaced
 * after every file, so that a killed fetch can resume; a day without a finished record is never captured.
 */
import { createHash, randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { type Day, isDay } from '../../runtime/day.ts';
import { type FetchedFile, FetchedFileSchema, UpstreamSchema } from '../../schemas/upstreams.ts';
import { type FileHash, hashFile } from '../../storage/hash.ts';
import { DAY_FILES, OffFileSchema } from './fetch-list.ts';

/** The folder of an unpacked zip file, and the recipe's columns. */
const CarrySchema = z.object({ folder: z.string().nullable(), columns: z.record(z.string(), z.string()) });

/** With the upstream's validators. */
const RecordedFileSchema = FetchedFileSchema.extend({
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  /** For a file that may be carried: what SELECTs need while no fetch has ever brought it. */
  carry: CarrySchema.optional(),
});
export type RecordedFile = z.infer<typeof RecordedFileSchema>;

export function describeFailure({ upstream, url, file, problem }: FetchedFile): string {
  return `${file} of ${upstream} could not be fetched from ${url}: ${problem}`;
}

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
  /** When this fetch, or the one it resumes, began. */
  started_at: z.iso.datetime(),
  /** When every required file was complete; null until then. */
  finished_at: z.iso.datetime().nullable(),
  upstreams: z.array(UpstreamSchema).readonly(),
  files: z.array(RecordedFileSchema).readonly(),
  /** Not fetched, because their upstreams were off; absent without. */
  off: z.array(OffFileSchema).readonly().optional(),
  /** Files not to fetch again while this fetch is unfinished. */
  done: z.array(z.string()).readonly(),
  own: z.array(OwnFileSchema).readonly(),
  /** Whether files may be carried, so that rows must name their upstreams. */
  carries: z.boolean(),
});
export type FetchRecord = z.infer<typeof FetchRecordSchema>;

/** Undefined where no readable record exists. */
export async function readFetchRecord(folder: string): Promise<FetchRecord | undefined> {
  try {
    return FetchRecordSchema.parse(JSON.parse(await readFile(join(folder, DAY_FILES.fetched), 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Replaces a day's record atomically.
 * @param partials folder for temporary files
 */
export async function writeFetchRecord(
  folder: string,
  partials: string,
  record: Omit<FetchRecord, 'format'>,
): Promise<void> {
  const text = `${JSON.stringify({ format: RECORD_FORMAT, ...record }, null, 2)}\n`;
  await writeAtomically(join(folder, DAY_FILES.fetched), partials, text);
}

/**
 * Writes a file atomically.
 * @param partials folder for temporary files
 */
export async function writeAtomically(path: string, partials: string, content: string | Uint8Array): Promise<void> {
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

/** Whether a day's folder still holds exactly what was fetched, including unpacked files. */
export async function isIntact(folder: string, fetched: FetchedFile): Promise<boolean> {
  const { file, sha256, unzipped } = fetched;
  if (sha256 === null) return false;
  try {
    if ((await hashFile(join(folder, file))).sha256 !== sha256) return false;
    return unzipped === null || (await hashFolder(join(folder, unzipped.folder))) === unzipped.sha256;
  } catch {
    return false;
  }
}

/** By path. */
export async function describeFiles(folder: string): Promise<readonly (FileHash & { readonly path: string })[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const files: (FileHash & { readonly path: string })[] = [];
  for (const path of paths.sort()) files.push({ path, ...(await hashFile(join(folder, path))) });
  return files;
}

async function hashFolder(folder: string): Promise<string> {
  const files = await describeFiles(folder);
  return hashOfFiles(new Map(files.map(({ path, sha256 }) => [path, sha256])));
}

/** @param files each path with its SHA-256 */
export function hashOfFiles(files: ReadonlyMap<string, string>): string {
  const lines = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, sha256]) => `${path} ${sha256}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** Days that are searched; a file unchanged for longer is downloaded again. */
const DAYS_MAX = 31;

/** A complete file of an earlier fetch, with its day's folder. */
export interface EarlierFile {
  readonly folder: string;
  readonly recorded: RecordedFile;
}

/** Earlier fetches, newest first: of the day itself, and of earlier days in the same archive. */
export async function listEarlier(
  into: string,
  { day, ownRecord }: { readonly day: Day; readonly ownRecord: FetchRecord | undefined },
): Promise<readonly EarlierFile[]> {
  const names = await readdir(into).catch(() => []);
  const days = names
    .filter((name) => isDay(name) && name < day)
    .sort()
    .reverse()
    .slice(0, DAYS_MAX);
  const found = filesOf(join(into, day), ownRecord);
  for (const name of days) found.push(...filesOf(join(into, name), await readFetchRecord(join(into, name))));
  return found;
}

function filesOf(folder: string, record: FetchRecord | undefined): EarlierFile[] {
  return (record?.files ?? []).map((recorded) => ({ folder, recorded }));
}

/** The newest intact match. */
export async function findEarlier(
  earlier: readonly EarlierFile[],
  matches: (recorded: RecordedFile) => boolean,
): Promise<EarlierFile | undefined> {
  for (const one of earlier) {
    if (matches(one.recorded) && (await isIntact(one.folder, { ...one.recorded, unzipped: null }))) return one;
  }
  return undefined;
}

/** Whether a conditional request is possible. */
export function hasValidator({ etag, last_modified }: RecordedFile): boolean {
  return (etag ?? last_modified) !== null;
}
