import { AppError } from '../../../runtime/errors.ts';
import { DELETE_ORDER, UPSERT_ORDER } from '../../../schemas/change.ts';
import { contentColumns, DATASET_NAMES, DATASETS, type Dataset } from '../../../schemas/datasets.ts';
import { eventDayOf } from '../../../schemas/release.ts';
import { writeParquet } from '../../../storage/duckdb/database.ts';
import { columnList, entityIdSql, keySql, sameKeySql } from '../../../storage/duckdb/record-sql.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import { SUSPECT_COLUMNS } from '../../night/tables.ts';
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

/**
 * Writes `state/unpublished.parquet` anew from the states before and after a night: the records that were carried, and the scores
 * that came or changed, with their sample sizes. Proven by the events of the scores.
 */
export async function rebuildUnpublished(to: string, materials: Materials): Promise<void> {
  const { release, database } = materials;
  const selects: string[] = [];
  for (const name of DATASET_NAMES.filter((candidate) => release.captured.includes(candidate))) {
    const state = await materials.parquet(RELEASE_PATHS.state(name));
    const id = entityIdSql(DATASETS[name]);
    selects.push(`SELECT '${name}' AS dataset, ${id} AS entity_id, 'carry' AS op, NULL::BIGINT AS n
      FROM ${state} WHERE valid_from IS NULL`);
  }
  const { scores } = DATASETS;
  const [before, after] = [await materials.stateBefore(scores), await materials.parquet(RELEASE_PATHS.state('scores'))];
  const changed = contentColumns(scores).map(({ name }) => `a.${name} IS DISTINCT FROM b.${name}`);
  const upserts = `SELECT 'scores' AS dataset, ${entityIdSql(scores, 'a')} AS entity_id, 'upsert' AS op, a.n
    FROM ${after} a LEFT JOIN ${before} b ON ${sameKeySql(scores, 'a', 'b')}
    WHERE b.model_id IS NULL OR ${changed.join(' OR ')}`;
  const changes = await materials.parquet(RELEASE_PATHS.changes);
  const { differences } = await database.row(
    { differences: number },
    `WITH found AS (${upserts}), told AS (
       SELECT entity_id FROM ${changes} WHERE entity_type = 'score' AND op = 'upsert' AND seq < $1)
     SELECT ((SELECT count(*) FROM found ANTI JOIN told USING (entity_id))
           + (SELECT count(*) FROM told ANTI JOIN found USING (entity_id)))::DOUBLE AS differences`,
    [release.first_renewal_seq ?? release.last_seq + 1],
  );
  assertProven(differences === 0, 'the scores that changed are not those of the events');
  await writeParquet(materials.database, [...selects, upserts].join(' UNION ALL ') + UNPUBLISHED_ORDER, to);
}

/** How the rows of `state/unpublished.parquet` are sorted. */
const UNPUBLISHED_ORDER = ' ORDER BY dataset, entity_id';

/** Writes `state/removed.parquet` anew from the one before and the parents in the states before and after. */
export async function rebuildRemoved(to: string, materials: Materials): Promise<void> {
  const before = await materials.parquetBefore(RELEASE_PATHS.removed);
  const selects: string[] = [];
  for (const name of ['models', 'benchmarks'] as const) {
    const present = `(SELECT id FROM ${await materials.parquet(RELEASE_PATHS.state(name))})`;
    if (before !== undefined) {
      selects.push(`SELECT dataset, id, removed_on FROM ${before} WHERE dataset = '${name}' AND id NOT IN ${present}`);
    }
    const parents = await materials.stateBefore(DATASETS[name]);
    selects.push(
      `SELECT '${name}' AS dataset, id, DATE '${materials.release.day}' AS removed_on FROM ${parents} WHERE id NOT IN ${present}`,
    );
  }
  await writeParquet(materials.database, `${selects.join(' UNION ALL ')} ORDER BY dataset, id`, to);
}

/**
 * Writes `state/suspects.parquet` anew where no price was held back that night. Else rejects with `corrupt`: since when a price
 * has been held back, and which, stands nowhere else.
 */
export async function rebuildSuspects(to: string, materials: Materials): Promise<void> {
  const { suspects_pending: pending } = materials.release;
  if (pending > 0) throw new AppError('corrupt', `the ${pending} prices that were held back stand nowhere else`);
  await materials.database.run(`CREATE OR REPLACE TABLE no_suspects (${SUSPECT_COLUMNS})`);
  await writeParquet(materials.database, 'SELECT * FROM no_suspects ORDER BY model_id, provider', to);
}
