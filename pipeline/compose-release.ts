import { readdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { cursorFromSeq } from '../schemas/cursor.ts';
import { DATASET_NAMES, SCHEMA_VERSION } from '../schemas/datasets.ts';
import type { Day } from '../schemas/day.ts';
import { type DatasetFile, type Manifest, ManifestSchema } from '../schemas/manifest.ts';
import { type Hold, type Release, type ReleaseFile, ReleaseSchema } from '../schemas/release.ts';
import { hashFile } from '../storage/hash.ts';
import { RELEASE_PATHS } from '../storage/keys.ts';
import type { Capture } from './capture/capture.ts';
import type { Check } from './check/check.ts';
import type { Diff } from './diff.ts';
import type { Previous } from './previous.ts';

export interface ReleaseInput {
  readonly day: Day;
  readonly run: string;
  /** Date-times as published. */
  readonly capturedAt: string;
  readonly publishedAt: string;
  readonly toolVersion: string;
  readonly previous: Previous;
  readonly captured: Capture;
  readonly checked: Check;
  readonly changed: Diff;
  readonly accepted: readonly Hold[];
  readonly files: readonly DatasetFile[];
  /** Folder that holds the release's files; the manifest is added to it. */
  readonly folder: string;
}

/** Writes the snapshot's manifest and describes everything that lies in the folder: the release.json to be. */
export async function composeRelease(input: ReleaseInput): Promise<Release> {
  const { previous, checked, changed } = input;
  const manifest = manifestFrom(input);
  await writeFile(join(input.folder, RELEASE_PATHS.manifest), `${JSON.stringify(manifest)}\n`);
  const captured = input.captured.datasets.map(({ dataset }) => dataset);
  return ReleaseSchema.parse({
    format: 1,
    day: input.day,
    run: input.run,
    prev: previous.entry === undefined ? null : refFrom(previous.entry),
    tool_version: input.toolVersion,
    schema_version: SCHEMA_VERSION,
    data_as_of: input.capturedAt,
    published_at: input.publishedAt,
    captured,
    last_captured: Object.fromEntries(
      DATASET_NAMES.map((name) => [
        name,
        captured.includes(name) ? input.day : (previous.release?.last_captured[name] ?? null),
      ]),
    ),
    records: changed.records,
    events: changed.events,
    first_seq: changed.firstSeq,
    last_seq: changed.lastSeq,
    quarantined: checked.quarantined,
    orphans: checked.orphans,
    suspects_pending: checked.suspects.pending,
    accepted: input.accepted,
    source_files: input.captured.sourceFiles,
    files: await describeFiles(input.folder),
    manifest,
  });
}

function manifestFrom({ day, publishedAt, capturedAt, files, changed, previous }: ReleaseInput): Manifest {
  return ManifestSchema.parse({
    id: day,
    published_at: publishedAt,
    data_as_of: capturedAt,
    schema_version: SCHEMA_VERSION,
    datasets: files,
    change_cursor: cursorFromSeq(changed.lastSeq),
    prev_id: previous.entry?.day ?? null,
  });
}

function refFrom({ day, run, release_sha256 }: NonNullable<Previous['entry']>) {
  return { day, run, release_sha256 };
}

/** Size and hash of every file in the folder, in path order. */
async function describeFiles(folder: string): Promise<readonly ReleaseFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const files: ReleaseFile[] = [];
  for (const path of paths.sort()) files.push({ path, ...(await hashFile(join(folder, path))) });
  return files;
}
