import { cursorFromSeq } from '../../schemas/change.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { type DatasetFile, idFromSnapshot, type Manifest } from '../../schemas/manifest.ts';
import { numberFromVersion } from '../../schemas/record-version.ts';
import type { Release } from '../../schemas/release.ts';
import { hashFile, readBlocks } from '../../storage/hash.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';

export async function findPackedProblems(file: DatasetFile, path: string): Promise<readonly string[]> {
  const { bytes, sha256 } = await hashFile(path);
  if (bytes === file.bytes && sha256 === file.sha256) return [];
  return [`${file.name}: the manifest's size or sha256 is not the file's`];
}

export async function findContentProblems(file: DatasetFile, path: string, what: string): Promise<readonly string[]> {
  const { bytes, sha256 } = await hashFile(path);
  if (bytes !== file.content_bytes || sha256 !== file.content_sha256) {
    return [
      `${file.name}: the content of ${what} has ${bytes} bytes with sha256 ${sha256}, expected ${file.content_bytes} with ${file.content_sha256}`,
    ];
  }
  const records = await countLines(path);
  return records === file.records ? [] : [`${file.name}: ${what} has ${records} records, expected ${file.records}`];
}

const NEWLINE = 0x0a;

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const block of readBlocks(path)) {
    for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) lines += 1;
  }
  return lines;
}

/** Only their consistency: the files themselves are in the operator's archive. */
export function findFetchedProblems({ day, upstreams = [], fetched = [], files }: Release): readonly string[] {
  return fetched.flatMap(({ upstream, file, status, sha256, fetched_at, failed_since }) => {
    const isNew = failed_since === null;
    const isOld = failed_since !== null && failed_since <= day;
    const hasBytes = sha256 !== null && fetched_at !== null;
    const isMissing = sha256 === null && fetched_at === null;
    const isConsistent = {
      fetched: hasBytes && isNew,
      unchanged: hasBytes && isNew,
      carried: hasBytes && isOld,
      failed: isMissing && isOld,
    };
    const stored = files.find(({ path }) => path === RELEASE_PATHS.fetched(file));
    return [
      ...(stored === undefined || stored.sha256 === sha256
        ? []
        : [`${stored.path} is not the ${file} that was fetched`]),
      ...(upstreams.some(({ id }) => id === upstream)
        ? []
        : [`${file} was fetched from ${upstream}, which is not listed`]),
      ...(isConsistent[status] ? [] : [`${file} is ${status}, but its other fields contradict that`]),
    ];
  });
}

export interface ManifestInput {
  readonly release: Release;
  /** Of the previous release. */
  readonly previousDay: string | undefined;
}

/** Not of its files. */
export function findManifestProblems(manifest: Manifest, { release, previousDay }: ManifestInput): readonly string[] {
  const isInForce = manifest === release.manifest;
  const noticedMajor = isInForce ? null : (numberFromVersion(manifest.schema_version)?.major ?? null);
  const { id, prev_id, schema_version, published_at, data_as_of } = manifest;
  const before = previousDay === undefined ? null : idFromSnapshot({ day: previousDay, noticedMajor });
  // A notice's first snapshot has no predecessor.
  const isPrevious = prev_id === before || (!isInForce && prev_id === null);
  const isOfNight = published_at === release.published_at && data_as_of === release.data_as_of;
  const isComplete = JSON.stringify(manifest.datasets.map(({ name }) => name)) === JSON.stringify(DATASET_NAMES);
  return [
    ...(id === idFromSnapshot({ day: release.day, noticedMajor }) ? [] : [`its id is ${id}`]),
    ...(isInForce === (schema_version === release.schema_version) ? [] : [`${id} is in version ${schema_version}`]),
    ...(isPrevious ? [] : ['its prev_id is not the previous snapshot']),
    ...(isOfNight ? [] : [`the manifest of ${id} has other times than the release`]),
    ...(isComplete ? [] : [`the manifest of ${id} does not list the five datasets`]),
    ...(manifest.change_cursor === cursorFromSeq(release.last_seq) ? [] : ['its change_cursor is not its last seq']),
  ];
}
