import { readdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
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
  type ReleaseFile,
  ReleaseSchema,
} from '../../schemas/release.ts';
import type { Upstream } from '../../schemas/upstreams.ts';
import { hashFile } from '../../storage/hash.ts';
import { snapshotPaths } from '../../storage/keys.ts';
import type { FetchRecord, RecordedFile } from '../fetch/day/fetch-record.ts';
import type { Capture } from './capture/capture.ts';
import type { Check } from './check/check.ts';
import type { Diff } from './diff.ts';
import { upstreamCounts } from './guard/losses.ts';
import type { Previous } from './previous.ts';
import { ownSourceFiles, releaseFetched } from './release-fetched.ts';
import type { SnapshotFiles, WrittenSnapshot } from './snapshot.ts';

export interface ReleaseInput {
  readonly day: Day;
  readonly run: string;
  /** Date-times as published. */
  readonly capturedAt: string;
  readonly publishedAt: string;
  readonly toolVersion: string;
  /** As the source names it. */
  readonly rankingMethod: RankingMethods | undefined;
  readonly previous: Previous;
  readonly captured: Capture;
  readonly checked: Check;
  readonly changed: Diff;
  readonly accepted: readonly Hold[];
  readonly written: WrittenSnapshot;
  /** Folder that holds the release's files; the manifests are added to it. */
  readonly folder: string;
  /** Those that the source names. */
  readonly upstreams: readonly Upstream[];
  /** What was fetched into the source's folder. */
  readonly fetched: FetchRecord | undefined;
  /** Those of its files that no fetch has ever brought. */
  readonly absent: readonly RecordedFile[];
}

/** Writes the snapshot's manifests and describes everything that lies in the folder: the release.json to be. */
export async function composeRelease(input: ReleaseInput): Promise<Release> {
  const { previous, checked, changed, written } = input;
  const manifest = manifestFrom(input, written.inForce);
  const noticed = written.noticed.map((snapshot) => manifestFrom(input, snapshot));
  for (const one of [manifest, ...noticed]) {
    await writeFile(join(input.folder, snapshotPaths(one).manifest), `${JSON.stringify(one)}\n`);
  }
  const captureFiles = input.captured.sourceFiles;
  const captured = input.captured.datasets.map(({ dataset }) => dataset);
  const upstreamRows = upstreamCounts(checked.upstreamRows, { day: input.day, previous: previous.release });
  const rankingMethod = rankingMethodOf(input, captured.includes('rankings'));
  const fetchedInput = {
    day: input.day,
    previous: previous.release,
    upstreams: input.upstreams,
    absent: input.absent,
  };
  return ReleaseSchema.parse({
    format: RELEASE_FORMAT,
    day: input.day,
    run: input.run,
    prev: previous.entry === undefined ? null : refFrom(previous.entry),
    tool_version: input.toolVersion,
    schema_version: manifest.schema_version,
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
    source_files: [...captureFiles, ...ownSourceFiles(input.fetched, captureFiles)],
    files: await describeFiles(input.folder),
    manifest,
    ...(noticed.length === 0 ? {} : { noticed_manifests: noticed }),
    ...(rankingMethod === undefined ? {} : { ranking_method: rankingMethod }),
    ...(changed.firstRenewalSeq === null ? {} : { first_renewal_seq: changed.firstRenewalSeq }),
    ...releaseFetched(input.fetched, fetchedInput),
    ...(upstreamRows === undefined ? {} : { upstream_rows: upstreamRows }),
  });
}

/** That of the source where it was asked for rankings today, else that of the rankings that are carried. */
function rankingMethodOf({ previous, rankingMethod }: ReleaseInput, isCaptured: boolean): RankingMethods | undefined {
  if (isCaptured || previous.release === undefined) return rankingMethod;
  return previous.release.ranking_method;
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

/** The snapshot before: of one under notice the one before in its version, so that the notice's first has none. */
function previousId(id: string, { release }: Previous): string | null {
  if (release === undefined) return null;
  const noticedMajor = snapshotFromId(id)?.noticedMajor ?? null;
  const before = idFromSnapshot({ day: release.day, noticedMajor });
  return manifestsOf(release).some((manifest) => manifest.id === before) ? before : null;
}

function refFrom({ day, run, release_sha256 }: NonNullable<Previous['entry']>) {
  return { day, run, release_sha256 };
}

/** Size and hash of every file in the folder, in path order. */
export async function describeFiles(folder: string): Promise<readonly ReleaseFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const files: ReleaseFile[] = [];
  for (const path of paths.sort()) files.push({ path, ...(await hashFile(join(folder, path))) });
  return files;
}
