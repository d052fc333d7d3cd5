import { join } from 'node:path';
import { AppError } from '../../../../runtime/errors.ts';
import { contentColumns, DATASETS, type Dataset, type DatasetName } from '../../../../schemas/datasets.ts';
import { writeLines, writeParquet } from '../../../../storage/duckdb/database.ts';
import { columnList, lineSql, sameKeySql } from '../../../../storage/duckdb/record-sql.ts';
import { number } from '../../../../storage/duckdb/row-shape.ts';
import { hashFile } from '../../../../storage/hash.ts';
import { RELEASE_PATHS } from '../../../../storage/keys.ts';
import { assertProven, type Materials } from './materials.ts';
import { closedSql } from './rebuild-history.ts';

/**
 * Writes a dataset's state anew from the snapshot, the state before, and what the night recorded beside them
 * (`state/unpublished.parquet`): a record that came or changed is in force since this day, one that was carried since none, and
 * any other since the day that the state before says. Proven by the recorded content of the snapshot and, where that file is
 * sound, by the history: the intervals that ended this night must be exactly those between the two states.
 */
export async function rebuildState(name: DatasetName, to: string, materials: Materials): Promise<void> {
  const { release, database } = materials;
  const dataset = DATASETS[name];
  const published = await materials.publishedRecords(dataset);
  const before = await materials.stateBefore(dataset);
  const unpublished = await unpublishedSql(name, materials);
  const { kept, compared } = materials.columnsOf(dataset);
  const changed = contentColumns(dataset)
    .filter((column) => column.published && compared.includes(column))
    .map(({ name: column }) => `a.${column} IS DISTINCT FROM b.${column}`);
  // Of a record whose time was ahead of the clock nothing but that changed.
  changed.push('b.updated_at > a.updated_at');
  const isChanged = `(b.${dataset.key[0]} IS NULL OR u.op IS NOT DISTINCT FROM 'upsert' OR ${changed.join(' OR ')})`;
  const columns = kept.map((column) =>
    column.published ? `a.${column.name}` : `if(${isChanged}, u.${column.name}, b.${column.name}) AS ${column.name}`,
  );
  const since = release.captured.includes(name) ? `coalesce(b.valid_from, $1::DATE)` : 'b.valid_from';
  await database.run(
    `CREATE OR REPLACE TABLE rebuilt_state AS
     SELECT ${columns.join(', ')}, CASE WHEN ${isChanged} THEN $1::DATE WHEN u.op = 'carry' THEN NULL ELSE ${since} END AS valid_from
     FROM ${published} a LEFT JOIN ${before} b ON ${sameKeySql(dataset, 'a', 'b')}
     LEFT JOIN (${unpublished}) u ON u.entity_id = a.entity_id ORDER BY ${columnList(dataset.key, 'a')}`,
    [release.day],
  );
  await proveContent(dataset, materials);
  await proveHistory(dataset, before, materials);
  await writeParquet(materials.database, 'SELECT * FROM rebuilt_state', to);
}

/**
 * What the night recorded of a dataset beside snapshot and state before: one row per record that was carried, and per score that
 * came or changed, with its sample size. None is needed where nothing was set aside and the dataset has nothing that isn't
 * published; releases of older programs have no such file.
 */
async function unpublishedSql(name: DatasetName, materials: Materials): Promise<string> {
  const { release } = materials;
  const isSetAside = release.quarantined[name] > 0 || (name === 'pricing' && release.suspects_pending > 0);
  if (!isSetAside && DATASETS[name].columns.every(({ published }) => published)) {
    return 'SELECT NULL AS entity_id, NULL AS op, NULL::BIGINT AS n WHERE false';
  }
  if (!release.files.some(({ path }) => path === RELEASE_PATHS.unpublished)) {
    const message = `the release has no ${RELEASE_PATHS.unpublished}, without which ${name} can't be rebuilt`;
    throw new AppError('corrupt', message);
  }
  return `SELECT * FROM ${await materials.parquet(RELEASE_PATHS.unpublished)} WHERE dataset = '${name}'`;
}

/** The lines that the state gives are those of the snapshot. */
async function proveContent({ name }: Dataset, materials: Materials): Promise<void> {
  const { release, database, scratch } = materials;
  const lines = join(scratch, 'proven.lines');
  const line = lineSql(materials.versionOf(release).datasets[name]);
  await writeLines(database, `SELECT ${line} FROM rebuilt_state`, lines);
  const { sha256 } = await hashFile(lines);
  const recorded = release.manifest.datasets.find((file) => file.name === name);
  assertProven(sha256 === recorded?.content_sha256, 'its records are not those of the snapshot');
}

async function proveHistory(dataset: Dataset, before: string, materials: Materials): Promise<void> {
  const recorded = await materials.parquet(RELEASE_PATHS.history(dataset.name)).catch(() => undefined);
  if (recorded === undefined) return;
  const closed = closedSql(dataset, { before, after: 'rebuilt_state', materials });
  const { differences } = await materials.database.row(
    { differences: number },
    `SELECT ((SELECT count(*) FROM (${closed} EXCEPT ALL SELECT * FROM ${recorded}))
           + (SELECT count(*) FROM (SELECT * FROM ${recorded} EXCEPT ALL ${closed})))::DOUBLE AS differences`,
  );
  assertProven(differences === 0, 'the intervals that ended this night are not those of its history');
}
