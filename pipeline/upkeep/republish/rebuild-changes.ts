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
 * Rebuilds a night's events from its snapshot and the previous one: each differing line is an event, and the order
 * fixes the numbers (specification "Order of events"). Proven by the recorded counts. Rejects with `corrupt` for a
 * night with a new record version, where changes and renewals look alike.
 */
export async function rebuildChanges(to: string, materials: Materials): Promise<void> {
  const { release, previous, database } = materials;
  const isRenewal =
    release.first_renewal_seq !== undefined ||
    (previous?.schema_version ?? release.schema_version) !== release.schema_version;
  if (isRenewal) throw new AppError('corrupt', 'a version of the records took effect with this night');
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

/** Resolves to the number of events after `seq`. */
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
 * From the states before and after a night: carried records, and new or changed scores with their sample sizes. Proven
 * by the events of the scores.
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
  const { compared } = materials.columnsOf(scores);
  const content = contentColumns({ ...scores, columns: compared });
  const changed = content.map(({ name }) => `a.${name} IS DISTINCT FROM b.${name}`);
  const upserts = `SELECT 'scores' AS dataset, ${entityIdSql(scores, 'a')} AS entity_id, 'upsert' AS op, a.n
    FROM ${after} a LEFT JOIN ${before} b ON ${sameKeySql(scores, 'a', 'b')}
    WHERE b.model_id IS NULL OR ${changed.join(' OR ')}`;
  const changes = await materials.parquet(RELEASE_PATHS.changes);
  const { differences } = await database.row(
    { differences: number },
    `WITH found AS (${upserts}), recorded AS (
       SELECT entity_id FROM ${changes} WHERE entity_type = 'score' AND op = 'upsert' AND seq < $1)
     SELECT ((SELECT count(*) FROM found ANTI JOIN recorded USING (entity_id))
           + (SELECT count(*) FROM recorded ANTI JOIN found USING (entity_id)))::DOUBLE AS differences`,
    [release.first_renewal_seq ?? release.last_seq + 1],
  );
  assertProven(differences === 0, 'the scores that changed are not those of the events');
  await writeParquet(materials.database, [...selects, upserts].join(' UNION ALL ') + UNPUBLISHED_ORDER, to);
}

const UNPUBLISHED_ORDER = ' ORDER BY dataset, entity_id';

/** From the previous file and the parents in both states. */
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

/** Empty where no price was held back. Otherwise rejects with `corrupt`: suspects are recorded nowhere else. */
export async function rebuildSuspects(to: string, materials: Materials): Promise<void> {
  const { suspects_pending: pending } = materials.release;
  if (pending > 0) throw new AppError('corrupt', `the ${pending} prices that were held back are recorded nowhere else`);
  await materials.database.run(`CREATE OR REPLACE TABLE no_suspects (${SUSPECT_COLUMNS})`);
  await writeParquet(materials.database, 'SELECT * FROM no_suspects ORDER BY model_id, provider', to);
}
