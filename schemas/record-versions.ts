/**
 * The versions of the published records (specification "Record versions"), and pure functions on such a list. What is in
 * which version follows from the captured day alone, so a night gives the same whenever it runs.
 *
 * A version that has been published, be it under notice, stays in the list with the fields it had: what was published in it
 * is verified and rebuilt by them. The days of a version may be moved while they are in the future.
 */

import type { Day } from '../runtime/day.ts';
import { AppError } from '../runtime/errors.ts';
import {
  type Column,
  DATASET_NAMES,
  DATASETS,
  type Dataset,
  type DatasetName,
  mapDatasets,
  publishedColumns,
  publishedName,
} from './datasets.ts';
import { defineVersions, majorOf, numberFromVersion, type RecordVersion } from './record-version.ts';

/** Every version that was ever published or announced, and its days, oldest first. */
const VERSIONS = [
  { version: '1.0', noticeFrom: null, inForceFrom: null },
  // Models and prices say whose word they are.
  { version: '1.1', noticeFrom: null, inForceFrom: '2026-11-23' },
] as const;

/** The versions with their fields: each has the columns of the table that came with it or before. */
export const RECORD_VERSIONS = defineVersions(
  VERSIONS.map((version, index) => ({ ...version, datasets: datasetsBefore(VERSIONS.slice(index + 1)) })),
);

/** The version of the published records that {@link DATASETS} describes, `major.minor`: the newest. */
export const SCHEMA_VERSION = RECORD_VERSIONS.at(-1)?.version ?? '';

/** The table as it was before some versions. */
function datasetsBefore(later: readonly Pick<RecordVersion, 'version'>[]): RecordVersion['datasets'] {
  if (later.length === 0) return DATASETS;
  const isThere = ({ addedIn }: Column) => !later.some(({ version }) => version === addedIn);
  return mapDatasets((name) => ({ ...DATASETS[name], columns: DATASETS[name].columns.filter(isThere) }));
}

/**
 * The columns of a dataset that nights keep, as state and as history, while a version is in force (decision 0076): a column that came
 * with a later version is not there yet, so that filling it in the first night with that version is no change.
 */
export function keptColumns(name: DatasetName, version: Pick<RecordVersion, 'datasets'>): readonly Column[] {
  const known = version.datasets[name].columns;
  return DATASETS[name].columns.filter((column) => known.some((other) => other.name === column.name));
}

/** The version of a day's snapshot and events. */
export function versionInForce(versions: readonly RecordVersion[], day: Day): RecordVersion {
  const version = versions.findLast(({ inForceFrom }) => inForceFrom === null || inForceFrom <= day);
  if (version === undefined) throw new Error('a list of versions begins with one that is always in force');
  return version;
}

/** The major versions that are announced but not in force yet on a day, in which its snapshot is written too. */
export function noticedVersions(versions: readonly RecordVersion[], day: Day): readonly RecordVersion[] {
  return versions.filter(
    ({ noticeFrom, inForceFrom }) =>
      noticeFrom !== null && noticeFrom <= day && inForceFrom !== null && day < inForceFrom,
  );
}

/** The version that a release or manifest names; throws `usage` where this program is too old to know it. */
export function getVersion(versions: readonly RecordVersion[], version: string): RecordVersion {
  const found = versions.find((candidate) => candidate.version === version);
  if (found !== undefined) return found;
  const message = `records of version ${version} are not known to this program; use a newer one`;
  throw new AppError('usage', message, { publicMessage: message });
}

/** True where this program can read and write records of a version. */
export function isKnownVersion(version: string): boolean {
  return RECORD_VERSIONS.some((candidate) => candidate.version === version);
}

/** The newest snapshot, as far as versions go. */
export interface VersionedDay {
  readonly day: Day;
  readonly schema_version: string;
}

/**
 * The version that a `schema_version` parameter names, `major` or `major.minor`, among those that had been announced or in
 * force with the newest snapshot; of a major the newest. Undefined: the parameter is wrong.
 */
export function findVersion(
  text: string,
  versions: readonly RecordVersion[],
  newest: VersionedDay,
): RecordVersion | undefined {
  const { day, schema_version } = newest;
  const reached = versions.findIndex(({ version }) => version === schema_version);
  const known = versions.filter(
    ({ inForceFrom }, index) => index <= reached || inForceFrom === null || inForceFrom <= day,
  );
  return [...known, ...noticedVersions(versions, day)].findLast(({ version }) => isVersion(version, text));
}

/**
 * True where a `schema_version` parameter, `major` or `major.minor`, names a version: which manifests a filter lets pass.
 */
export function isVersion(version: string, text: string): boolean {
  return text === version || text === String(numberFromVersion(version)?.major);
}

/**
 * The datasets of which every record is sent anew when `now` comes into force after `before` (decision 0015): all
 * of them where the major differs, else those whose lines do.
 */
export function renewedDatasets(before: RecordVersion, now: RecordVersion): readonly DatasetName[] {
  if (majorOf(before) !== majorOf(now)) return DATASET_NAMES;
  return DATASET_NAMES.filter((name) => fieldsOf(before.datasets[name]) !== fieldsOf(now.datasets[name]));
}

function fieldsOf(dataset: Dataset): string {
  return JSON.stringify(publishedColumns(dataset).map((column) => [column.name, publishedName(column)]));
}
