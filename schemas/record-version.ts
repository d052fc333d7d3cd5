import { addDays, type Day, isDay } from '../runtime/day.ts';
import {
  type Column,
  DATASET_NAMES,
  type Dataset,
  type DatasetName,
  publishedColumns,
  publishedName,
} from './datasets.ts';

/** How records are published from some captured day on (specification "Record versions"). */
export interface RecordVersion {
  /** `major.minor`. */
  readonly version: string;
  /** First day on which snapshots are also written in this version; null: without notice. */
  readonly noticeFrom: Day | null;
  /** First day whose snapshot and events use this version; null: the first night. */
  readonly inForceFrom: Day | null;
  /**
   * The datasets with this version's columns, order and names. Unpublished columns are included, except those added by
   * later versions.
   */
  readonly datasets: Readonly<Record<DatasetName, Dataset>>;
}

export interface VersionNumber {
  readonly major: number;
  readonly minor: number;
}

const VERSION = /^([1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

/** Undefined for text other than `major.minor`. */
export function numberFromVersion(version: string): VersionNumber | undefined {
  const [, major, minor] = VERSION.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

export function majorOf({ version }: Pick<RecordVersion, 'version'>): number {
  const number = numberFromVersion(version);
  if (number === undefined) throw new Error(`${version} is not a major.minor`);
  return number.major;
}

/** A published column: its name, or that and its published key. */
export type Field = string | readonly [column: string, publishedAs: string];

/**
 * A dataset with these fields in wire order; its other columns come last, unpublished.
 * @param dataset of the table, or of the previous version
 */
export function datasetWithFields(dataset: Dataset, fields: readonly Field[]): Dataset {
  const published = fields.map((field) => publishedColumn(dataset, field));
  const others = dataset.columns.filter((column) => !published.some((candidate) => candidate.name === column.name));
  return { ...dataset, columns: [...published, ...others.map((column) => ({ ...column, published: false }))] };
}

function publishedColumn(dataset: Dataset, field: Field): Column {
  const [name, publishedAs] = typeof field === 'string' ? [field] : field;
  const column = dataset.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new Error(`${dataset.name} has no column ${name}`);
  return { ...column, published: true, ...(publishedAs === undefined ? {} : { publishedAs }) };
}

/** Days between the announcement of a major version and its first day in force (specification "Record versions"). */
export const NOTICE_DAYS_MIN = 30;

/**
 * Checks a list of versions, oldest first; throws an Error with all violations of the specification and of two rules of
 * ours:
 *
 * - Records begin with their dataset's key, under its own names: entity ids and replay rely on it.
 * - Records have `updated_at`, under any name: otherwise a change of an unpublished column would give an event with an
 *   unchanged record.
 */
export function defineVersions(versions: readonly RecordVersion[]): readonly RecordVersion[] {
  const problems = versions.flatMap((version, index) =>
    [
      ...datesProblems(version, versions[index - 1]),
      ...DATASET_NAMES.flatMap((name) => fieldsProblems(version.datasets[name])),
      ...additionsProblems(version, versions[index - 1]),
    ].map((problem) => `${version.version}: ${problem}`),
  );
  if (versions.length === 0) problems.push('there is no version');
  if (problems.length > 0) throw new Error(`wrong versions of records: ${problems.join('; ')}`);
  return versions;
}

function datesProblems(version: RecordVersion, previous: RecordVersion | undefined): readonly string[] {
  const number = numberFromVersion(version.version);
  if (number === undefined) return ['is not a major.minor'];
  const { noticeFrom, inForceFrom } = version;
  if (previous === undefined) {
    return noticeFrom === null && inForceFrom === null ? [] : ['the first version is in force from the first night on'];
  }
  if (inForceFrom === null || !isDay(inForceFrom)) return ['has no day on which it comes into force'];
  const isLater = previous.inForceFrom === null || inForceFrom > previous.inForceFrom;
  return [
    ...(isLater ? [] : [`comes into force before ${previous.version}`]),
    ...stepProblems(version, inForceFrom, previous),
  ];
}

/** The next minor version, without a notice, or the next major one, after its notice. */
function stepProblems(version: RecordVersion, inForceFrom: string, previous: RecordVersion): readonly string[] {
  const [from, to] = [numberFromVersion(previous.version), numberFromVersion(version.version)];
  const { noticeFrom } = version;
  if (to?.major === from?.major) {
    return [
      ...(to?.minor === (from?.minor ?? 0) + 1 ? [] : [`does not follow ${previous.version}`]),
      ...(noticeFrom === null ? [] : ['a minor version has no notice']),
    ];
  }
  const isNoticed = noticeFrom !== null && isDay(noticeFrom) && addDays(noticeFrom, NOTICE_DAYS_MIN) <= inForceFrom;
  return [
    ...(to?.major === (from?.major ?? 0) + 1 && to.minor === 0 ? [] : [`does not follow ${previous.version}`]),
    ...(isNoticed ? [] : [`a major version has a notice of at least ${NOTICE_DAYS_MIN} days`]),
  ];
}

const FIELD_NAME = /^[a-z][a-z0-9_]*$/;

function fieldsProblems(dataset: Dataset): readonly string[] {
  const columns = publishedColumns(dataset);
  const names = columns.map(publishedName);
  const problems = [
    ...names.filter((name) => !FIELD_NAME.test(name)).map((name) => `can't be called ${name}`),
    ...(new Set(names).size === names.length ? [] : ['has a name twice']),
    ...(new Set(columns.map(({ name }) => name)).size === columns.length ? [] : ['has a column twice']),
    ...(dataset.key.every((part, index) => names[index] === part && columns[index]?.name === part)
      ? []
      : [`does not begin with its key ${dataset.key.join(', ')}`]),
    ...(columns.some(({ name }) => name === 'updated_at') ? [] : ['has no updated_at']),
  ];
  return problems.map((problem) => `${dataset.name} ${problem}`);
}

/** A minor version keeps all fields and may add optional ones (specification "Record versions"). */
function additionsProblems(version: RecordVersion, previous: RecordVersion | undefined): readonly string[] {
  if (previous === undefined || version.noticeFrom !== null) return [];
  return DATASET_NAMES.flatMap((dataset) => {
    const before = publishedColumns(previous.datasets[dataset]);
    const now = publishedColumns(version.datasets[dataset]);
    const areRetained = before.every((column) =>
      now.some((other) => other.name === column.name && publishedName(other) === publishedName(column)),
    );
    const added = now.filter((column) => !before.some(({ name }) => name === column.name));
    return [
      ...(areRetained ? [] : [`${dataset} renames or removes a field: that takes a major version`]),
      ...added
        .filter(({ nullable }) => !nullable)
        .map((column) => `${dataset} adds ${publishedName(column)}, which is not optional`),
    ];
  });
}
