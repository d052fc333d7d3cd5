import { type Column, DATASETS, type DatasetName } from './datasets.ts';
import type { RecordVersion } from './record-version.ts';

/**
 * The columns of a dataset that nights keep, as state and as history, while a version is in force (decision 0076): a column that came
 * with a later version is not there yet, so that filling it in the first night with that version is no change.
 */
export function keptColumns(name: DatasetName, version: Pick<RecordVersion, 'datasets'>): readonly Column[] {
  const known = version.datasets[name].columns;
  return DATASETS[name].columns.filter((column) => known.some((other) => other.name === column.name));
}
