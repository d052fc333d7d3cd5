import { cursorFromSeq } from '../../schemas/cursor.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { numberFromVersion } from '../../schemas/record-version.ts';
import type { Release } from '../../schemas/release.ts';
import { idFromSnapshot } from '../../schemas/snapshot-id.ts';

export interface ManifestInput {
  readonly release: Release;
  /** The day of the release before. */
  readonly previousDay: string | undefined;
}

/** What is wrong with a manifest of a release, apart from the files that it lists: it says the same of the night. */
export function findManifestProblems(manifest: Manifest, { release, previousDay }: ManifestInput): readonly string[] {
  const isInForce = manifest === release.manifest;
  const noticedMajor = isInForce ? null : (numberFromVersion(manifest.schema_version)?.major ?? null);
  const { id, prev_id, schema_version, published_at, data_as_of } = manifest;
  const before = previousDay === undefined ? null : idFromSnapshot({ day: previousDay, noticedMajor });
  // A notice's first snapshot has none before it.
  const isPrevious = prev_id === before || (!isInForce && prev_id === null);
  const isOfNight = published_at === release.published_at && data_as_of === release.data_as_of;
  const isComplete = JSON.stringify(manifest.datasets.map(({ name }) => name)) === JSON.stringify(DATASET_NAMES);
  return [
    ...(id === idFromSnapshot({ day: release.day, noticedMajor }) ? [] : [`its id is ${id}`]),
    ...(isInForce === (schema_version === release.schema_version) ? [] : [`${id} is in version ${schema_version}`]),
    ...(isPrevious ? [] : ['its prev_id is not the one before']),
    ...(isOfNight ? [] : [`the manifest of ${id} has other times than the release`]),
    ...(isComplete ? [] : [`the manifest of ${id} does not list the five datasets`]),
    ...(manifest.change_cursor === cursorFromSeq(release.last_seq) ? [] : ['its change_cursor is not its last seq']),
  ];
}
