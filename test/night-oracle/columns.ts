import { type Column, DATASETS, type DatasetName } from '../../schemas/datasets.ts';

/** The version of the records in which the days that are read were published: none of them is later. */
export const ORACLE_VERSION = '1.0';

/** The columns of a dataset in that version, in wire order; what came later nobody kept, unless it was captured before. */
export function oracleColumns(dataset: DatasetName): readonly Column[] {
  return DATASETS[dataset].columns.flatMap((column) => {
    if (column.addedIn === undefined) return [column];
    return column.isStoredBefore === true ? [{ ...column, published: false }] : [];
  });
}
