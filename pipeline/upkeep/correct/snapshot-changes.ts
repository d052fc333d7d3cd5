import { join } from 'node:path';
import { z } from 'zod';
import { DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { columnList, entityIdSql, sameKeySql } from '../../../storage/duckdb/record-sql.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { unpackLines } from '../../../storage/gzip-lines.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { type ChangedRecord, type DatasetChanges, EXAMPLES_MAX } from '../../night/preview.ts';
import { linesSql } from '../../proof/replay-sql.ts';

const RecordSchema = z.record(z.string(), z.json());

/** Two snapshots, and where they are compared. */
export interface SnapshotPair {
  readonly before: Release;
  readonly after: Release;
  readonly store: ObjectStore;
  readonly database: Database;
  /** Folder for unpacked files. */
  readonly scratch: string;
}

/**
 * How a dataset differs between two snapshots, line by line. Rejects with `not_found` or `corrupt` where a file of either is gone or
 * damaged.
 */
export async function compareSnapshots(name: DatasetName, pair: SnapshotPair): Promise<DatasetChanges> {
  const { database } = pair;
  const dataset = DATASETS[name];
  const [before, after] = [await unpack('before', name, pair), await unpack('after', name, pair)];
  const [part] = dataset.key;
  const key = dataset.key.map((column) => `coalesce(a.${column}, b.${column}) AS ${column}`).join(', ');
  await database.run(
    `CREATE OR REPLACE TEMP TABLE compared AS
     SELECT ${key}, b.${part} IS NOT NULL AS was, a.${part} IS NOT NULL AS "is", b.line AS before, a.line AS after
     FROM (${linesSql(dataset, before)}) b FULL JOIN (${linesSql(dataset, after)}) a ON ${sameKeySql(dataset, 'b', 'a')}`,
  );
  const counts = await database.row(
    { before: number, after: number, new: number, changed: number, gone: number },
    `SELECT count(*) FILTER (was)::DOUBLE AS before, count(*) FILTER ("is")::DOUBLE AS after,
            count(*) FILTER (${KINDS.new})::DOUBLE AS new, count(*) FILTER (${KINDS.changed})::DOUBLE AS changed,
            count(*) FILTER (${KINDS.gone})::DOUBLE AS gone FROM compared`,
  );
  const first = (kind: keyof typeof KINDS) =>
    database.rows(
      { id: text, before: text, after: text },
      `SELECT ${entityIdSql(dataset)} AS id, coalesce(before, '{}') AS before, coalesce(after, '{}') AS after FROM compared
       WHERE ${KINDS[kind]} ORDER BY ${columnList(dataset.key)} LIMIT ${EXAMPLES_MAX}`,
    );
  const idsOf = async (kind: keyof typeof KINDS) => (await first(kind)).map(({ id }) => id);
  const changed = (await first('changed')).map(({ id, ...lines }) => ({ id, fields: changedFields(lines) }));
  return { ...counts, examples: { new: await idsOf('new'), changed, gone: await idsOf('gone') } };
}

/** What a row of `compared` tells of. */
const KINDS = { new: 'NOT was', changed: 'was AND "is" AND before <> after', gone: 'NOT "is"' };

async function unpack(
  side: 'before' | 'after',
  name: DatasetName,
  { store, scratch, ...releases }: SnapshotPair,
): Promise<string> {
  const packed = join(scratch, `${name}.${side}.gz`);
  await fetchReleaseFile(store, releases[side], RELEASE_PATHS.snapshot(name), packed);
  const lines = join(scratch, `${name}.${side}`);
  await unpackLines(packed, lines);
  return lines;
}

/**
 * The fields that differ, `updated_at` only where nothing else does; a field that only one version of the records has is null in the
 * other.
 */
function changedFields(lines: { readonly before: string; readonly after: string }): ChangedRecord['fields'] {
  const [before, after] = [RecordSchema.parse(JSON.parse(lines.before)), RecordSchema.parse(JSON.parse(lines.after))];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter(({ before: was, after: is }) => JSON.stringify(was) !== JSON.stringify(is));
  const others = fields.filter(({ field }) => field !== 'updated_at');
  return others.length === 0 ? fields : others;
}
