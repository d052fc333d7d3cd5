import { DATASETS, type Dataset, type DatasetName } from '../../../schemas/datasets.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { columnList, entityIdSql } from '../../../storage/duckdb/record-sql.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import { table } from '../tables.ts';
import { issueSql } from './issues.ts';

/**
 * Sets aside rows whose entity id is also that of another record, of today or of yesterday (specification "Ids"; decision 0038):
 * the feed could not tell the two apart. Resolves to their number. What is in force already stays as it was.
 */
export async function setAsideSharedIds(database: Database, name: DatasetName): Promise<number> {
  const dataset = DATASETS[name];
  if (!(await mayShareIds(database, dataset))) return 0;
  const captured = table('captured', name);
  await database.run(
    `CREATE TEMP TABLE shared_ids AS SELECT entity_id FROM (
       SELECT ${columnList(dataset.key)}, ${entityIdSql(dataset)} AS entity_id FROM ${captured} WHERE ${hasColon(dataset.key)}
       UNION SELECT ${columnList(dataset.key)}, ${entityIdSql(dataset)} FROM ${table('previous', name)} WHERE ${hasColon(dataset.key)})
     GROUP BY entity_id HAVING count(*) > 1`,
  );
  const isShared = `${entityIdSql(dataset, 'c')} IN (SELECT entity_id FROM shared_ids)`;
  const issue = issueSql({
    dataset: name,
    kind: 'bad',
    rowid: 'c.rowid',
    field: `'${dataset.key.join(', ')}'`,
    value: entityIdSql(dataset, 'c'),
    reason: `'is the entity id of another record too'`,
  });
  const rows = await database.run(`INSERT INTO issues SELECT ${issue} FROM ${captured} c WHERE ${isShared}`);
  if (rows > 0) {
    const key = columnList(dataset.key, 'c');
    await database.run(`INSERT INTO ${table('aside', name)} SELECT ${key} FROM ${captured} c WHERE ${isShared}`);
    await database.run(`DELETE FROM ${captured} c WHERE ${isShared}`);
  }
  await database.run('DROP TABLE shared_ids');
  return rows;
}

/** Of two keys with one joined text, one has a colon in a part that isn't its first: mostly there is none to look for. */
async function mayShareIds(database: Database, { name, key }: Dataset): Promise<boolean> {
  const later = key.slice(1);
  if (later.length === 0) return false;
  const condition = hasColon(later);
  const { rows } = await database.row(
    { rows: number },
    `SELECT (SELECT count(*) FROM ${table('captured', name)} WHERE ${condition})::DOUBLE
          + (SELECT count(*) FROM ${table('previous', name)} WHERE ${condition})::DOUBLE AS rows`,
  );
  return rows > 0;
}

function hasColon(parts: readonly string[]): string {
  return parts.map((part) => `contains(${part}, ':')`).join(' OR ');
}
