import { constants, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { cursorFromSeq } from '../../schemas/change.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
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
import { type DatasetTerms, sortTerms, termsFrom, termsOf } from '../../schemas/terms.ts';
import { fetchedFileFrom, type ReleasedFile, type Terms, type Upstream } from '../../schemas/upstreams.ts';
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
  const terms = nightTerms(input);
  const manifest = manifestFrom(input, written.inForce, terms);
  const noticed = written.noticed.map((snapshot) => manifestFrom(input, snapshot, terms));
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
    upstreams: releaseUpstreams(source, terms, previous.release),
    fetched: releaseFetched(source, day, previous.release),
    upstream_rows: upstreamCounts(checked.upstreamRows, { day, previous: previous.release }),
  });
}

/** The source's where rankings were captured today, else that of the carried ones. */
function rankingMethodOf({ settings }: Source, { release }: Previous, isCaptured: boolean): RankingMethods | undefined {
  return isCaptured || release === undefined ? settings.ranking_method : release.ranking_method;
}

/**
 * The terms of the snapshot's records: of the upstreams that gave rows, and of those before whose records may still be
 * in force.
 */
function nightTerms(input: ReleaseInput): DatasetTerms {
  const before = input.previous.release;
  const earlier = before === undefined ? {} : termsOf(before);
  const terms: Partial<Record<DatasetName, readonly Terms[]>> = {};
  for (const dataset of DATASET_NAMES) {
    if (input.changed.records[dataset] === 0) continue;
    const found = datasetTerms(dataset, earlier[dataset] ?? [], input);
    if (found.length > 0) terms[dataset] = found;
  }
  return terms;
}

function datasetTerms(
  dataset: DatasetName,
  earlier: readonly Terms[],
  { source, captured, checked, changed }: ReleaseInput,
): readonly Terms[] {
  const upstreams = listedUpstreams(source);
  const counts = checked.upstreamRows[dataset] ?? new Map<string, number | null>();
  const isCaptured = captured.datasets.some((one) => one.dataset === dataset);
  // No row names its upstream, so that each may have given any.
  const isUnnamed = isCaptured && [...counts.values()].every((rows) => rows === null);
  const today = upstreams.filter(({ id }) => isUnnamed || (counts.get(id) ?? 0) > 0).map(termsFrom);
  const isCarried = [...counts.values()].includes(null);
  const isReplaced = upstreams.length > 0 && isCaptured && !isCarried && !checked.withheld.has(dataset);
  const named = changed.upstreams[dataset];
  const mayStay = ({ source: id }: Terms) => !isReplaced || named.has(id) || named.has(null);
  const kept = earlier.filter((one) => mayStay(one) && !today.some(({ source: id }) => id === one.source));
  return sortTerms([...today, ...kept]);
}

function listedUpstreams({ settings, fetched }: Source): readonly Upstream[] {
  return fetched?.upstreams ?? settings.upstreams;
}

/** The source's, and those before that it no longer lists but the terms name; undefined without any. */
function releaseUpstreams(source: Source, terms: DatasetTerms, before: Release | undefined): Release['upstreams'] {
  const listed = listedUpstreams(source);
  const named = new Set(Object.values(terms).flatMap((of) => of.map((one) => one.source)));
  const others = (before?.upstreams ?? []).filter(({ id }) => named.has(id) && !listed.some((one) => one.id === id));
  const all = [...listed, ...others];
  return all.length === 0 && source.fetched === undefined ? undefined : all;
}

function manifestFrom(input: ReleaseInput, { id, version, files }: SnapshotFiles, terms: DatasetTerms): Manifest {
  const { publishedAt, capturedAt, changed } = input;
  return ManifestSchema.parse({
    id,
    published_at: publishedAt,
    data_as_of: capturedAt,
    schema_version: version.version,
    datasets: files.map((file) => ({ ...file, terms: terms[file.name] })),
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

/** Of a fetched day, from its fetch record. */
function releaseFetched({ fetched, absent }: NightSource, day: Day, previous: Release | undefined): Release['fetched'] {
  if (fetched === undefined) return undefined;
  const before = previous?.fetched ?? [];
  return fetched.files.map((file): ReleasedFile => {
    const described = fetchedFileFrom(file);
    if (file.status !== 'failed' && file.status !== 'carried') return { ...described, failed_since: null };
    const yesterday = before.find((one) => one.upstream === file.upstream && one.file === file.file);
    const failed = { ...described, failed_since: yesterday?.failed_since ?? day };
    return absent.includes(file) ? { ...failed, never_fetched: true } : failed;
  });
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
