import { AppError } from '../../../runtime/errors.ts';
import { DATASETS, type Dataset, type DatasetName } from '../../../schemas/datasets.ts';
import { FILLED_LATER } from './typed-rows.ts';

export interface ComparedColumns {
  readonly extraColumns: readonly string[];
  readonly missingColumns: readonly string[];
}

export function compareColumns(dataset: Dataset, present: readonly string[]): ComparedColumns {
  const known = dataset.columns.map((column) => column.name);
  return {
    extraColumns: present.filter((name) => !known.includes(name)),
    missingColumns: present.length === 0 ? [] : known.filter((name) => !present.includes(name)),
  };
}

/** Enough to spot a misspelt name. */
const COLUMNS_SHOWN_MAX = 10;
const COLUMN_LENGTH_SHOWN_MAX = 100;

/** Rejects with `source_rejected` where a required column is missing. */
export function assertRequiredColumns(
  dataset: Dataset,
  origin: string,
  { missingColumns, extraColumns }: ComparedColumns,
): void {
  const required = dataset.columns.filter(
    ({ name, nullable, fallback }) =>
      missingColumns.includes(name) && !nullable && fallback === undefined && !FILLED_LATER.has(name),
  );
  if (required.length === 0) return;
  const names = required.map(({ name }) => name).join(', ');
  const missing = required.length === 1 ? `the column ${names} is missing` : `the columns ${names} are missing`;
  const unknown = extraColumns.slice(0, COLUMNS_SHOWN_MAX).map((name) => name.slice(0, COLUMN_LENGTH_SHOWN_MAX));
  const isMiscased = required.some(({ name }) => extraColumns.some((extra) => extra.toLowerCase() === name));
  const spelling = isMiscased ? ', and names are in lower case' : '';
  const hint = unknown.length === 0 ? '' : `; it has the unknown ${unknown.join(', ')}${spelling}`;
  throw new AppError('source_rejected', `${origin} (${dataset.name}): ${missing}${hint}`);
}

interface RowsOrigin {
  readonly dataset: DatasetName;
  /** File name, or `source.sql`. */
  readonly origin: string;
  readonly relation: ComparedColumns;
}

export function columnWarnings({ dataset, origin, relation }: RowsOrigin): readonly string[] {
  const { extraColumns, missingColumns } = relation;
  // A source is complete without columns that a later version added.
  const filled = DATASETS[dataset].columns.filter(
    ({ published, addedIn, fallback }) => !published || addedIn !== undefined || fallback !== undefined,
  );
  const absent = missingColumns.filter(
    (name) => !FILLED_LATER.has(name) && !filled.some((column) => column.name === name),
  );
  return [
    ...(extraColumns.length > 0 ? [`${origin}: ignored unknown columns ${extraColumns.join(', ')}`] : []),
    ...(absent.length > 0 ? [`${origin} (${dataset}): has no ${absent.join(', ')}; taken as empty`] : []),
  ];
}
