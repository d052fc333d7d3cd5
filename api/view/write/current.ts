import { listValue } from '@duckdb/node-api';
import { DATASETS, type Dataset, type DatasetName } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { recordsSql } from '../../../storage/duckdb/database.ts';
import { lineSql } from '../../../storage/duckdb/record-sql.ts';
import type { IdKind } from '../schema.ts';
import { chunksOf } from './chunks.ts';
import { writeLifecycle } from './lifecycle.ts';
import { deletePriceMeters, writePriceMeters } from './price-meters.ts';
import { dayNumberSql, idSql, insertRows, type Writer } from './writer.ts';

export interface CurrentInput {
  /** Parquet files of the newest records. */
  readonly state: Readonly<Record<DatasetName, string>>;
  /** Parquet files of the events since the previous view; undefined: the view is new. */
  readonly changes: readonly string[] | undefined;
  /** Of the lines. */
  readonly version: RecordVersion;
}

/** SQL of the columns of a model before `line`, where `s` is a record, and `m` its number. */
export const MODEL_COLUMNS = `m.number, s.id, s.name, s.organization, ${dayNumberSql('s.release_date')}, s.context_length::DOUBLE, epoch_us(s.updated_at)::DOUBLE`;

/** SQL of a row, where `s` is a record: the columns before `line`, and the joins for its numbers. */
const TABLES: Readonly<
  Record<DatasetName, { readonly columns: string; readonly joins: string; readonly lineAt: number }>
> = {
  models: {
    columns: `${MODEL_COLUMNS}, NULL`,
    joins: idSql('model', 's.id', 'm'),
    lineAt: 8,
  },
  benchmarks: { columns: 'b.number, s.category', joins: idSql('benchmark', 's.id', 'b'), lineAt: 2 },
  scores: {
    columns: `m.number, b.number, s.value, o.number, ${dayNumberSql('s.measured_at')}`,
    joins: `${idSql('model', 's.model_id', 'm')} ${idSql('benchmark', 's.benchmark_id', 'b')} LEFT ${idSql('score source', 's.source', 'o')}`,
    lineAt: 5,
  },
  rankings: {
    columns: 'c.number, s.rank, m.number',
    joins: `${idSql('category', 's.category', 'c')} ${idSql('model', 's.model_id', 'm')}`,
    lineAt: 3,
  },
  pricing: {
    columns: 'm.number, p.number, s.input_per_million, s.output_per_million',
    joins: `${idSql('model', 's.model_id', 'm')} ${idSql('provider', 's.provider', 'p')}`,
    lineAt: 4,
  },
};

/** Writes the newest records: all into a new view, else those with an event. */
export async function writeCurrent(writer: Writer, input: CurrentInput): Promise<void> {
  for (const dataset of Object.values(DATASETS)) await writeDataset(writer, dataset, input);
  writer.view.exec(`UPDATE models SET added_on =
    (SELECT min(valid_from) FROM intervals i WHERE i.kind = 'metadata' AND i.model = models.model) WHERE added_on IS NULL`);
  writeLifecycle(writer.view);
}

async function writeDataset(
  writer: Writer,
  dataset: Dataset,
  { state, changes, version }: CurrentInput,
): Promise<void> {
  const { name, entityType } = dataset;
  const { columns, joins, lineAt } = TABLES[name];
  const isWhole = changes === undefined || entityType === null;
  if (isWhole) writer.view.exec(`DELETE FROM ${name}`);
  else if (changes.length === 0) return;
  else await deleteChanged(writer, dataset, changes);
  const records = await recordsSql(writer.duckdb, dataset, state[name]);
  const key = dataset.key.map((column) => `key ->> '$.${column}' AS ${column}`).join(', ');
  const changed = `SEMI JOIN (SELECT ${key} FROM read_parquet($1) WHERE entity_type = '${entityType}' AND op = 'upsert') c USING (${dataset.key.join(', ')})`;
  const line = lineSql(version.datasets[name], 's');
  const from = `FROM (SELECT * FROM (${records}) ${isWhole ? '' : changed}) s ${joins}`;
  const values = isWhole ? [] : [listValue([...changes])];
  await insertRows(writer, {
    into: `INSERT INTO ${name}`,
    sql: `SELECT ${columns}, ${line} ${from}`,
    values,
    checked: [lineAt],
  });
  if (name === 'pricing') await writePriceMeters(writer, { from, values });
}

/** Column of the view, and kind of its ids, by column of a key. */
const KEY_COLUMNS: Readonly<Record<string, IdKind>> = {
  id: 'model',
  model_id: 'model',
  benchmark_id: 'benchmark',
  category: 'category',
  provider: 'provider',
};

/** Deletes all records with an event. */
async function deleteChanged(
  { duckdb, view }: Writer,
  { name, key, entityType }: Dataset,
  changes: readonly string[],
): Promise<void> {
  const columns = key.map((column) => ({ column, own: KEY_COLUMNS[column] ?? 'model' }));
  const joins = columns.map(({ column, own }) => idSql(own, `(c.key ->> '$.${column}')`, own));
  const result = await duckdb.connection.stream(
    `SELECT DISTINCT ${columns.map(({ own }) => `${own}.number`).join(', ')} FROM read_parquet($1) c ${joins.join(' ')}
     WHERE c.entity_type = '${entityType}'`,
    [listValue([...changes])],
  );
  const remove = view.prepare(`DELETE FROM ${name} WHERE ${columns.map(({ own }) => `${own} = ?`).join(' AND ')}`);
  const removeMeters = name === 'pricing' ? deletePriceMeters(view) : undefined;
  for await (const chunk of chunksOf(result)) {
    for (let at = 0; at < chunk.rowCount; at += 1) {
      const numbers = chunk.columns.map((column) => column[at]);
      remove.run(numbers);
      removeMeters?.(numbers);
    }
  }
}
