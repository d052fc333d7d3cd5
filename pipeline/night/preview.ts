import { z } from 'zod';
import {
  contentColumns,
  DATASETS,
  type Dataset,
  type DatasetName,
  mapDatasetsSerially,
} from '../../schemas/datasets.ts';
import type { Database } from '../../storage/duckdb/database.ts';
import { columnList, entityIdSql, sameKeySql } from '../../storage/duckdb/record-sql.ts';
import { number, text } from '../../storage/duckdb/row-shape.ts';
import type { Check } from './check/check.ts';
import { reasonsOf, type SetAside } from './check/issues.ts';
import { table } from './tables.ts';

/** Example records of each kind. */
export const EXAMPLES_MAX = 5;

const FieldChangesSchema = z.array(z.object({ field: z.string(), before: z.json(), after: z.json() }));

export interface ChangedRecord {
  readonly id: string;
  readonly fields: z.infer<typeof FieldChangesSchema>;
}

/** Counts, and the first records of each kind by key. */
export interface DatasetChanges {
  readonly before: number;
  readonly after: number;
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
  readonly examples: {
    readonly new: readonly string[];
    readonly changed: readonly ChangedRecord[];
    readonly gone: readonly string[];
  };
}

export interface DatasetPreview extends DatasetChanges {
  /** In force without a point: set aside, withheld, or not captured. */
  readonly carried: number;
}

/** What a dry run or held night would publish, for review (specification "Dry runs"). */
export interface Preview {
  readonly datasets: Readonly<Record<DatasetName, DatasetPreview>>;
  readonly set_aside: readonly SetAside[];
}

/** Reads the result of the diff, before anything is written, from the `previous_` and `merged_` tables. */
export async function preview(checked: Check, { database }: { readonly database: Database }): Promise<Preview> {
  const datasets = await mapDatasetsSerially((name) => previewDataset(database, DATASETS[name]));
  return { datasets, set_aside: reasonsOf(checked.issues) };
}

const COUNTS = { before: number, after: number, new: number, changed: number, gone: number, carried: number };

async function previewDataset(database: Database, dataset: Dataset): Promise<DatasetPreview> {
  const [merged, previous] = [table('merged', dataset.name), table('previous', dataset.name)];
  const [part] = dataset.key;
  const from = `FROM ${merged} m LEFT JOIN ${previous} p ON ${sameKeySql(dataset, 'm', 'p')}`;
  const counts = await database.row(
    COUNTS,
    `SELECT (SELECT count(*) FROM ${previous})::DOUBLE AS before, count(*) FILTER (op <> 'delete')::DOUBLE AS after,
            count(*) FILTER (op = 'upsert' AND p.${part} IS NULL)::DOUBLE AS new,
            count(*) FILTER (op = 'upsert' AND p.${part} IS NOT NULL)::DOUBLE AS changed,
            count(*) FILTER (op = 'delete')::DOUBLE AS gone, count(*) FILTER (op IN ('carry', 'idle'))::DOUBLE AS carried ${from}`,
  );
  const first = async (condition: string) => {
    const sql = `SELECT ${entityIdSql(dataset, 'm')} AS id ${from} WHERE ${condition} ${firstOf(dataset)}`;
    return (await database.rows({ id: text }, sql)).map(({ id }) => id);
  };
  const existed = `p.${part} IS NOT NULL`;
  const fields = `list_filter([${contentColumns(dataset).map(changeSql).join(', ')}], lambda one: one.before <> one.after)`;
  const changed = await database.rows(
    { id: text, fields: text },
    `SELECT ${entityIdSql(dataset, 'm')} AS id, to_json(${fields})::VARCHAR AS fields ${from}
     WHERE op = 'upsert' AND ${existed} ${firstOf(dataset)}`,
  );
  return {
    ...counts,
    examples: {
      new: await first(`op = 'upsert' AND p.${part} IS NULL`),
      changed: changed.map((row) => ({ id: row.id, fields: FieldChangesSchema.parse(JSON.parse(row.fields)) })),
      gone: await first(`op = 'delete'`),
    },
  };
}

function firstOf(dataset: Dataset): string {
  return `ORDER BY ${columnList(dataset.key, 'm')} LIMIT ${EXAMPLES_MAX}`;
}

/** As JSON, so that fields of all types have one type; null is a value. */
function changeSql({ name }: { readonly name: string }): string {
  const json = (alias: string) => `coalesce(to_json(${alias}.${name}), 'null'::JSON)`;
  return `{'field': '${name}', 'before': ${json('p')}, 'after': ${json('m')}}`;
}
