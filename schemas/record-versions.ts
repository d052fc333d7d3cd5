/**
 * The versions of the published records (specification "Record versions"). Only the captured day decides the version,
 * so a night's result doesn't depend on when it runs.
 *
 * A published version, even if only under notice, stays in the list unchanged: its releases are verified and rebuilt
 * with it. Only future days may move.
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

/** Oldest first. */
const VERSIONS = [
  { version: '1.0', noticeFrom: null, inForceFrom: null },
  // Models and prices name their upstream.
  { version: '1.1', noticeFrom: null, inForceFrom: '2026-11-23' },
  // Rates of prices; life, abilities and limits of models; how scores were measured.
  { version: '1.2', noticeFrom: null, inForceFrom: '2026-12-15' },
] as const;

/** Each version has the columns added by it or before. */
export const RECORD_VERSIONS = defineVersions(
  VERSIONS.map((version, index) => ({ ...version, datasets: datasetsBefore(VERSIONS.slice(index + 1)) })),
);

/** The newest version, which {@link DATASETS} describes. */
export const SCHEMA_VERSION = RECORD_VERSIONS.at(-1)?.version ?? '';

function datasetsBefore(later: readonly Pick<RecordVersion, 'version'>[]): RecordVersion['datasets'] {
  if (later.length === 0) return DATASETS;
  const isIncluded = ({ addedIn }: Column) => !later.some(({ version }) => version === addedIn);
  const columnsOf = (column: Column) => {
    if (isIncluded(column)) return [column];
    return column.isStoredBefore === true ? [{ ...column, published: false }] : [];
  };
  return mapDatasets((name) => ({ ...DATASETS[name], columns: DATASETS[name].columns.flatMap(columnsOf) }));
}

/**
 * The columns that nights store while a version is in force, in the order of {@link DATASETS} (decision 0076). Columns of later versions
 * are absent, so filling them later is no change.
 * @param before if given, only columns that were stored in this version too
 */
export function storedColumns(
  name: DatasetName,
  version: Pick<RecordVersion, 'datasets'>,
  before: Pick<RecordVersion, 'datasets'> = version,
): readonly Column[] {
  const find = ({ datasets }: Pick<RecordVersion, 'datasets'>, column: Column) =>
    datasets[name].columns.find((other) => other.name === column.name);
  return DATASETS[name].columns.flatMap((column) => (find(before, column) && find(version, column)) ?? []);
}

/** Of a day's snapshot and events. */
export function versionInForce(versions: readonly RecordVersion[], day: Day): RecordVersion {
  const version = versions.findLast(({ inForceFrom }) => inForceFrom === null || inForceFrom <= day);
  if (version === undefined) throw new Error('a list of versions begins with one that is always in force');
  return version;
}

/** Announced major versions not yet in force on a day; its snapshot is also written in these. */
export function noticedVersions(versions: readonly RecordVersion[], day: Day): readonly RecordVersion[] {
  return versions.filter(
    ({ noticeFrom, inForceFrom }) =>
      noticeFrom !== null && noticeFrom <= day && inForceFrom !== null && day < inForceFrom,
  );
}

/** Throws `usage` where this program is too old to know the version. */
export function getVersion(versions: readonly RecordVersion[], version: string): RecordVersion {
  const found = versions.find((candidate) => candidate.version === version);
  if (found !== undefined) return found;
  const message = `this program does not know version ${version} of the records; use a newer program`;
  throw new AppError('usage', message, { publicMessage: message });
}

/** Whether this program can read and write it. */
export function isKnownVersion(version: string): boolean {
  return RECORD_VERSIONS.some((candidate) => candidate.version === version);
}

export interface VersionedDay {
  readonly day: Day;
  readonly schema_version: string;
}

/**
 * The version for a `schema_version` parameter, `major` or `major.minor`, announced or in force by the newest snapshot;
 * for a major, the newest. Undefined: the parameter is wrong.
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

/** Whether a `schema_version` parameter, `major` or `major.minor`, names this version. */
export function isVersion(version: string, text: string): boolean {
  return text === version || text === String(numberFromVersion(version)?.major);
}

/**
 * The datasets whose records are all sent again (decision 0015): all for a new major, else those whose fields differ.
 */
export function renewedDatasets(before: RecordVersion, now: RecordVersion): readonly DatasetName[] {
  if (majorOf(before) !== majorOf(now)) return DATASET_NAMES;
  return DATASET_NAMES.filter((name) => fieldsOf(before.datasets[name]) !== fieldsOf(now.datasets[name]));
}

function fieldsOf(dataset: Dataset): string {
  return JSON.stringify(publishedColumns(dataset).map((column) => [column.name, publishedName(column)]));
}
