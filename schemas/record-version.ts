import { addDays, type Day, isDay } from '../runtime/day.ts';
import {
  type Column,
  DATASET_NAMES,
  type Dataset,
  type DatasetName,
  publishedColumns,
  publishedName,
} from './datasets.ts';

/** How records are published from some day on (specification "Record versions"). Days are those that a night captured. */
export interface RecordVersion {
  /** `major.minor`. */
  readonly version: string;
  /** The first day on which snapshots are written in this version beside the one in force; null: it has no notice. */
  readonly noticeFrom: Day | null;
  /** The first day of which snapshot and events are in this version; null: from the first night on. */
  readonly inForceFrom: Day | null;
  /**
   * The datasets as this version publishes them: which columns, in which order, under which names. Columns that it does not publish
   * are there too, but for those that came with a later version.
   */
  readonly datasets: Readonly<Record<DatasetName, Dataset>>;
}

export interface VersionNumber {
  readonly major: number;
  readonly minor: number;
}

const VERSION = /^([1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

/** The parts of a `major.minor`; undefined for any other text. */
export function numberFromVersion(version: string): VersionNumber | undefined {
  const [, major, minor] = VERSION.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

/** The major of a version that is known to be one. */
export function majorOf({ version }: Pick<RecordVersion, 'version'>): number {
  const number = numberFromVersion(version);
  if (number === undefined) throw new Error(`${version} is not a major.minor`);
  return number.major;
}

/** A column that a version publishes: its name, or that and the key it has in the record. */
export type Field = string | readonly [column: string, publishedAs: string];

/**
 * A dataset as a version publishes it: with these fields in wire order. What is captured stays the same; the columns that are no
 * fields come last, unpublished.
 *
 * @param dataset of the table, or of the version before
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
 * A list of versions, oldest first, that keeps the specification's rules and ours; throws an Error that names all breaches.
 *
 * - Every record begins with its dataset's key under its own names: entity ids and replay build on it.
 * - Every record has its `updated_at`, under whatever name: a change of a column that a version leaves out still changes the
 *   line, so no event repeats what the consumer has.
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

/** A version is the next minor one, without a notice, or the next major one, after its notice. */
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

/** A minor version keeps every field and may add optional ones (specification "Record versions"). */
function additionsProblems(version: RecordVersion, previous: RecordVersion | undefined): readonly string[] {
  if (previous === undefined || version.noticeFrom !== null) return [];
  return DATASET_NAMES.flatMap((dataset) => {
    const before = publishedColumns(previous.datasets[dataset]);
    const now = publishedColumns(version.datasets[dataset]);
    const isKept = before.every((column) =>
      now.some((other) => other.name === column.name && publishedName(other) === publishedName(column)),
    );
    const added = now.filter((column) => !before.some(({ name }) => name === column.name));
    return [
      ...(isKept ? [] : [`${dataset} renames or removes a field: that takes a major version`]),
      ...added
        .filter(({ nullable }) => !nullable)
        .map((column) => `${dataset} adds ${publishedName(column)}, which is not optional`),
    ];
  });
}
