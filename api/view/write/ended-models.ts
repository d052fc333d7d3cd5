import { listValue } from '@duckdb/node-api';
import type { Catalog } from '../../../schemas/catalog.ts';
import { DATASETS } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { recordsSql } from '../../../storage/duckdb/database.ts';
import { lineSql } from '../../../storage/duckdb/record-sql.ts';
import { OPEN } from '../schema.ts';
import { MODEL_COLUMNS } from './current.ts';
import type { HistoryParts } from './view-parts.ts';
import { idSql, insertRows, type Writer } from './writer.ts';

export interface EndedInput {
  readonly parts: Pick<HistoryParts, 'closed'>;
  readonly catalog: Catalog;
  /** Of the lines. */
  readonly version: RecordVersion;
}

/**
 * Writes the last record of each model without an open interval, after the intervals. `removed_at` is the first captured day after that
 * interval.
 */
export async function writeEndedModels(writer: Writer, { parts, catalog, version }: EndedInput): Promise<void> {
  const files = parts.closed.models;
  if (files.length > 0) {
    const days = catalog.releases.filter(({ captured }) => captured.includes('models')).map(({ day }) => day);
    const ended = await recordsSql(writer.duckdb, DATASETS.models, files);
    const removedAt = `list_min(list_filter($1::VARCHAR[]::DATE[], lambda captured: captured > s.valid_to))`;
    await insertRows(writer, {
      into: 'INSERT OR REPLACE INTO ended_models',
      sql: `SELECT ${MODEL_COLUMNS}, concat(left(${lineSql(version.datasets.models, 's')}, -1), ',"removed_at":"', ${removedAt}, '"}')
        FROM (FROM (${ended}) QUALIFY row_number() OVER (PARTITION BY id ORDER BY valid_to DESC) = 1) s ${idSql('model', 's.id', 'm')}`,
      values: [listValue([...days])],
      checked: [7],
    });
  }
  writer.view.exec(
    `DELETE FROM ended_models WHERE model IN (SELECT model FROM intervals WHERE kind = 'metadata' AND valid_to = ${OPEN})`,
  );
}
