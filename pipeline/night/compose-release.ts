import { constants, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { cursorFromSeq } from '../../schemas/change.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { idFromSnapshot, type Manifest, ManifestSchema, snapshotFromId } from '../../schemas/manifest.ts';
import {
  type Hold,
  manifestsOf,
  type RankingMethods,
  RELEASE_FORMAT,
  type Release,
  ReleaseSchema,
  type SourceFile,
} from '../../schemas/release.ts';
import { fetchedFileFrom, type ReleasedFile } from '../../schemas/upstreams.ts';
import { RELEASE_PATHS, snapshotPaths } from '../../storage/keys.ts';
import { describeFiles, type FetchRecord } from '../source/fetch-record.ts';
import type { Source } from '../source/open-source.ts';
import type { Capture } from './capture/capture.ts';
import type { NightSource } from './capture/missing-files.ts';
import type { Check } from './check/check.ts';
import { upstreamCounts } from './check/losses.ts';
import type { Diff } from './diff.ts';
import type { Previous } from './previous.ts';
import type { SnapshotFiles, WrittenSnapshot } from './snapshot.ts';

interface ReleaseInput {
  readonly day: Day;
  readonly run: string;
  /** As published. */
  readonly capturedAt: string;
  readonly publishedAt: string;
  readonly toolVersion: string;
  readonly source: NightSource;
  readonly previous: Previous;
  readonly captured: Capture;
  readonly checked: Check;
  readonly changed: Diff;
  readonly accepted: readonly Hold[];
  readonly written: WrittenSnapshot;
  /** Holds the release's files; the manifests are added. */
  readonly folder: string;
}

/** Writes the snapshot's manifests and describes all files of the folder, as the future release.json. */
export async function composeRelease(input: ReleaseInput): Promise<Release> {
  const { day, previous, captured, checked, changed, written, folder, source } = input;
  const manifest = manifestFrom(input, written.inForce);
  const noticed = written.noticed.map((snapshot) => manifestFrom(input, snapshot));
  for (const one of [manifest, ...noticed]) {
    await writeFile(join(folder, snapshotPaths(one).manifest), `${JSON.stringify(one)}\n`);
  }
  const names = captured.datasets.map(({ dataset }) => dataset);
  const lastCaptured = DATASET_NAMES.map((name) => [
    name,
    names.includes(name) ? day : (previous.release?.last_captured[name] ?? null),
  ]);
  return ReleaseSchema.parse({
    format: RELEASE_FORMAT,
    day,
    run: input.run,
    prev: previous.entry === undefined ? null : refFrom(previous.entry),
    tool_version: input.toolVersion,
    schema_version: manifest.schema_version,
    data_as_of: input.capturedAt,
    published_at: input.publishedAt,
    captured: names,
    last_captured: Object.fromEntries(lastCaptured),
    records: changed.records,
    events: changed.events,
    first_seq: changed.firstSeq,
    last_seq: changed.lastSeq,
    quarantined: checked.quarantined,
    orphans: checked.orphans,
    suspects_pending: checked.suspects.pending,
    accepted: input.accepted,
    source_files: [...captured.sourceFiles, ...ownSourceFiles(source.fetched, captured.sourceFiles)],
    files: await describeFiles(folder),
    manifest,
    noticed_manifests: noticed.length === 0 ? undefined : noticed,
    ranking_method: rankingMethodOf(source, previous, names.includes('rankings')),
    first_renewal_seq: changed.firstRenewalSeq ?? undefined,
    ...releaseFetched(source, day, previous.release),
    upstream_rows: upstreamCounts(checked.upstreamRows, { day, previous: previous.release }),
  });
}

/** The source's where rankings were captured today, else that of the carried ones. */
function rankingMethodOf({ settings }: Source, { release }: Previous, isCaptured: boolean): RankingMethods | undefined {
  return isCaptured || release === undefined ? settings.ranking_method : release.ranking_method;
}

function manifestFrom(input: ReleaseInput, { id, version, files }: SnapshotFiles): Manifest {
  const { publishedAt, capturedAt, changed } = input;
  return ManifestSchema.parse({
    id,
    published_at: publishedAt,
    data_as_of: capturedAt,
    schema_version: version.version,
    datasets: files,
    change_cursor: cursorFromSeq(changed.lastSeq),
    prev_id: previousId(id, input.previous),
  });
}

/** Of a noticed snapshot, the previous one in its version; null for the notice's first. */
function previousId(id: string, { release }: Previous): string | null {
  if (release === undefined) return null;
  const noticedMajor = snapshotFromId(id)?.noticedMajor ?? null;
  const before = idFromSnapshot({ day: release.day, noticedMajor });
  return manifestsOf(release).some((manifest) => manifest.id === before) ? before : null;
}

function refFrom({ day, run, release_sha256 }: NonNullable<Previous['entry']>) {
  return { day, run, release_sha256 };
}

/** The release's upstreams and fetched files; of a fetched day, from its fetch record. */
function releaseFetched(
  { settings: { upstreams }, fetched, absent }: NightSource,
  day: Day,
  previous: Release | undefined,
): Pick<Release, 'upstreams' | 'fetched'> {
  if (fetched === undefined) return upstreams.length === 0 ? {} : { upstreams: [...upstreams] };
  const before = previous?.fetched ?? [];
  const files = fetched.files.map((file): ReleasedFile => {
    const described = fetchedFileFrom(file);
    if (file.status !== 'failed' && file.status !== 'carried') return { ...described, failed_since: null };
    const yesterday = before.find((one) => one.upstream === file.upstream && one.file === file.file);
    const failed = { ...described, failed_since: yesterday?.failed_since ?? day };
    return absent.includes(file) ? { ...failed, never_fetched: true } : failed;
  });
  return { upstreams: [...fetched.upstreams], fetched: files };
}

/** The source's own files that its SELECTs may have read, except those listed already. */
function ownSourceFiles(fetched: FetchRecord | undefined, listed: readonly SourceFile[]): readonly SourceFile[] {
  return (fetched?.own ?? [])
    .filter(({ file }) => !listed.some(({ name }) => name === file))
    .map(({ file, bytes, sha256 }) => ({ name: file, dataset: null, bytes, sha256 }));
}

/** Copies files that may be carried into the release, for nights on any machine (decision 0073). */
export async function copyFetched({ folder: from, fetched }: Source, to: string): Promise<void> {
  for (const { file, sha256, carry } of fetched?.files ?? []) {
    if (carry === undefined || sha256 === null) continue;
    const path = join(to, RELEASE_PATHS.fetched(file));
    await mkdir(dirname(path), { recursive: true });
    await copyFile(join(from, file), path, constants.COPYFILE_FICLONE);
  }
}
