import type { DatasetName } from '../../schemas/datasets.ts';
import type { Day } from '../../schemas/day.ts';
import { AppError } from '../../schemas/errors.ts';
import type { RecordVersion } from '../../schemas/versions/record-version.ts';
import {
  getVersion,
  noticedVersions,
  renewedDatasets,
  versionInForce,
} from '../../schemas/versions/record-versions.ts';
import type { Previous } from './previous.ts';

/** The versions of the records in which a night publishes (specification "Record versions"). */
export interface NightVersions {
  /** Of the snapshot and of the events. */
  readonly inForce: RecordVersion;
  /** Of the night before; undefined: there was none. */
  readonly before: RecordVersion | undefined;
  /** In which the snapshot is written too. */
  readonly noticed: readonly RecordVersion[];
  /** Datasets of which every record is sent anew, because their version comes into force with this night. */
  readonly renewed: readonly DatasetName[];
}

/**
 * What a list of versions means for the night of a day. Rejects with `usage` where the night before was in a version that is
 * not in force, which an older program doesn't know: going back would change every consumer's records unannounced.
 */
export function findNightVersions(
  versions: readonly RecordVersion[],
  { day, previous }: { readonly day: Day; readonly previous: Previous },
): NightVersions {
  const inForce = versionInForce(versions, day);
  const noticed = noticedVersions(versions, day);
  if (previous.release === undefined) return { inForce, before: undefined, noticed, renewed: [] };
  const before = getVersion(versions, previous.release.schema_version);
  if (versions.indexOf(before) > versions.indexOf(inForce)) {
    const newest = `the newest snapshot ${previous.release.day} is in version ${before.version} of the records`;
    throw new AppError('usage', `${newest}, and ${day} would go back to ${inForce.version}`);
  }
  return { inForce, before, noticed, renewed: renewedDatasets(before, inForce) };
}

/** What an operator should know who sees many events. */
export function renewalNotes(
  { inForce }: NightVersions,
  { firstRenewalSeq, lastSeq }: { readonly firstRenewalSeq: number | null; readonly lastSeq: number },
): readonly string[] {
  if (firstRenewalSeq === null) return [];
  const records = lastSeq - firstRenewalSeq + 1;
  return [
    `version ${inForce.version} of the records comes into force: ${records} unchanged records are sent anew in it`,
  ];
}
