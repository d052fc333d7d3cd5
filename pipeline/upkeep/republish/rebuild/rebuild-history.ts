import { DATASETS, type Dataset, type DatasetName } from '../../../../schemas/datasets.ts';
import { writeParquet } from '../../../../storage/duckdb/database.ts';
import { columnList, entityIdSql, sameKeySql } from '../../../../storage/duckdb/record-sql.ts';
import { number } from '../../../../storage/duckdb/row-shape.ts';
import { RELEASE_PATHS } from '../../../../storage/keys.ts';
import { assertProven, type Materials } from './materials.ts';

/**
 * Writes the intervals that ended with a night anew, from the states before and after it. Proven by the events, where the dataset
 * has any: every record with an event that was in force since a day has ended an interval, and every other one that did was
 * carried.
 */
export async function rebuildHistory(name: DatasetName, to: string, materials: Materials): Promise<void> {
  const dataset = DATASETS[name];
  const before = await materials.stateBefore(dataset);
  const after = await materials.parquet(RELEASE_PATHS.state(name));
  const closed = closedSql(dataset, { before, after, materials });
  await materials.database.run(`CREATE OR REPLACE TABLE rebuilt_history AS ${closed}`);
  if (dataset.entityType !== null) await proveEvents(dataset, { before, after, materials });
  await writeParquet(materials.database, `SELECT * FROM rebuilt_history ORDER BY ${columnList(dataset.key)}`, to);
}

interface States {
  /** Relations with the dataset's columns and `valid_from`. */
  readonly before: string;
  readonly after: string;
  readonly materials: Materials;
}

/** The intervals that ended between two states: of each record that went, or that is no longer in force since the same day. */
export function closedSql(dataset: Dataset, { before, after, materials }: States): string {
  const last = materials.previous?.last_captured[dataset.name] ?? null;
  const { kept } = materials.columnsOf(dataset);
  return `SELECT ${columnList(kept, 'b')}, b.valid_from, ${last === null ? 'NULL' : `'${last}'`}::DATE AS valid_to
    FROM ${before} b LEFT JOIN ${after} a ON ${sameKeySql(dataset, 'a', 'b')}
    WHERE b.valid_from IS NOT NULL AND (a.${dataset.key[0]} IS NULL OR a.valid_from IS DISTINCT FROM b.valid_from)`;
}

async function proveEvents(dataset: Dataset, { before, after, materials }: States): Promise<void> {
  const { release, database } = materials;
  const changes = await materials.parquet(RELEASE_PATHS.changes);
  const renewed = release.first_renewal_seq ?? release.last_seq + 1;
  const { missing, unexplained } = await database.row(
    { missing: number, unexplained: number },
    `WITH touched AS (SELECT entity_id FROM ${changes} WHERE entity_type = '${dataset.entityType}' AND seq < $1),
     closed AS (SELECT ${entityIdSql(dataset)} AS entity_id FROM rebuilt_history),
     held AS (SELECT ${entityIdSql(dataset)} AS entity_id FROM ${before} WHERE valid_from IS NOT NULL),
     carried AS (SELECT ${entityIdSql(dataset)} AS entity_id FROM ${after} WHERE valid_from IS NULL)
     SELECT (SELECT count(*) FROM touched SEMI JOIN held USING (entity_id) ANTI JOIN closed USING (entity_id))::DOUBLE AS missing,
       (SELECT count(*) FROM closed ANTI JOIN touched USING (entity_id) ANTI JOIN carried USING (entity_id))::DOUBLE AS unexplained`,
    [renewed],
  );
  assertProven(
    missing === 0 && unexplained === 0,
    `${missing + unexplained} of its intervals are not those of the events`,
  );
}
