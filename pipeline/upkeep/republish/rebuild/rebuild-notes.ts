import { AppError } from '../../../../runtime/errors.ts';
import { contentColumns, DATASET_NAMES, DATASETS } from '../../../../schemas/datasets.ts';
import { writeParquet } from '../../../../storage/duckdb/database.ts';
import { entityIdSql, sameKeySql } from '../../../../storage/duckdb/record-sql.ts';
import { number } from '../../../../storage/duckdb/row-shape.ts';
import { RELEASE_PATHS } from '../../../../storage/keys.ts';
import { SUSPECT_COLUMNS } from '../../../night/tables.ts';
import { assertProven, type Materials } from './materials.ts';

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
export const UNPUBLISHED_ORDER = ' ORDER BY dataset, entity_id';

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
