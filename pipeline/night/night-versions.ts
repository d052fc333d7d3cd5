import type { Day } from '../../runtime/day.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { getVersion, noticedVersions, renewedDatasets, versionInForce } from '../../schemas/record-versions.ts';
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

/** When a night runs, and what it continues. */
export interface NightTime {
  readonly day: Day;
  readonly today: Day;
  readonly previous: Previous;
}

/**
 * What a list of versions means for the night of a day. A store begins in the version that is in force as its first night runs, so that
 * it has nothing to renew for days before it was there, and never goes back (decision 0015). Rejects with `usage` where the night before
 * was in a version that this program doesn't know: going back would change every consumer's records unannounced.
 */
export function findNightVersions(versions: readonly RecordVersion[], time: NightTime): NightVersions {
  const { day, today, previous } = time;
  const ofDay = versionInForce(versions, day);
  const before = previous.release === undefined ? undefined : getVersion(versions, previous.release.schema_version);
  const reached = before ?? versionInForce(versions, day > today ? day : today);
  const isReached = (version: RecordVersion) => versions.indexOf(version) <= versions.indexOf(reached);
  const inForce = isReached(ofDay) ? reached : ofDay;
  const noticed = noticedVersions(versions, day).filter((version) => !isReached(version));
  return { inForce, before, noticed, renewed: before === undefined ? [] : renewedDatasets(before, inForce) };
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
