import type { Day } from '../runtime/day.ts';
import type { Column, Dataset, DatasetName } from './datasets.ts';

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
