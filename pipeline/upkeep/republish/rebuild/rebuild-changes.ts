import { AppError } from '../../../../runtime/errors.ts';
import { DELETE_ORDER, UPSERT_ORDER } from '../../../../schemas/change.ts';
import { DATASETS, type Dataset } from '../../../../schemas/datasets.ts';
import { eventDayOf } from '../../../../schemas/release.ts';
import { writeParquet } from '../../../../storage/duckdb/database.ts';
import { columnList, entityIdSql, keySql, sameKeySql } from '../../../../storage/duckdb/record-sql.ts';
import { number } from '../../../../storage/duckdb/row-shape.ts';
import { assertProven, type Materials } from './materials.ts';

/**
 * Writes a night's events anew from its snapshot and the one before: every line that went, came or changed is an event, and their
 * order is fixed (specification "Order of events"), so their numbers are, too. Proven by the recorded counts. Rejects with
 * `corrupt` for a night in which a version of the records came into force: there the lines don't tell what changed from what was
 * sent anew.
 */
export async function rebuildChanges(to: string, materials: Materials): Promise<void> {
  const { release, previous, database } = materials;
  const isRenewal =
    release.first_renewal_seq !== undefined ||
    (previous?.schema_version ?? release.schema_version) !== release.schema_version;
  if (isRenewal) throw new AppError('corrupt', 'a version of the records came into force with this night');
  const before = previous?.last_seq ?? 0;
  await database.run(
    `CREATE OR REPLACE TABLE rebuilt_changes (seq BIGINT, occurred_on DATE, entity_type VARCHAR, entity_id VARCHAR, key VARCHAR,
       op VARCHAR, data VARCHAR, schema_version VARCHAR)`,
  );
  let seq = before;
  for (const name of DELETE_ORDER) seq += await append(DATASETS[name], 'delete', { materials, seq });
  for (const name of UPSERT_ORDER) seq += await append(DATASETS[name], 'upsert', { materials, seq });
  const counts = await database.row(
    { upserts: number, deletes: number },
    `SELECT count(*) FILTER (op = 'upsert')::DOUBLE AS upserts, count(*) FILTER (op = 'delete')::DOUBLE AS deletes
     FROM rebuilt_changes`,
  );
  const isCounted = counts.upserts === release.events.upsert && counts.deletes === release.events.delete;
  assertProven(isCounted && seq === release.last_seq, `it has ${counts.upserts} upserts and ${counts.deletes} deletes`);
  await writeParquet(materials.database, 'SELECT * FROM rebuilt_changes ORDER BY seq', to);
}

/** Adds the events of one dataset and kind behind `seq`; resolves to their number. */
async function append(
  dataset: Dataset,
  op: 'delete' | 'upsert',
  { materials, seq }: { readonly materials: Materials; readonly seq: number },
): Promise<number> {
  const { release, previous, database } = materials;
  const before = await materials.lines(previous, dataset.name);
  const after = await materials.lines(release, dataset.name);
  const key = keySql(materials.versionOf(release).datasets[dataset.name]);
  const events =
    op === 'delete'
      ? `SELECT *, NULL AS data FROM (${before}) b ANTI JOIN (${after}) a ON ${sameKeySql(dataset, 'a', 'b')}`
      : `SELECT a.*, a.line AS data FROM (${after}) a LEFT JOIN (${before}) b ON ${sameKeySql(dataset, 'a', 'b')}
         WHERE a.line IS DISTINCT FROM b.line`;
  return database.run(
    `INSERT INTO rebuilt_changes SELECT ${seq} + row_number() OVER (ORDER BY ${columnList(dataset.key)}), $1::DATE,
       '${dataset.entityType}', ${entityIdSql(dataset)}, ${key}, '${op}', data, $2 FROM (${events}) ORDER BY ${columnList(dataset.key)}`,
    [eventDayOf(release), release.schema_version],
  );
}
