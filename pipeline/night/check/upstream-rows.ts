import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import type { Capture, CapturedDataset } from '../capture/capture.ts';
import { upstreamIdsSql } from '../capture/relation.ts';

/** Rows of each upstream that the source lists, by dataset; null where today doesn't tell: not captured, carried, or not named by rows. */
export type UpstreamRows = Readonly<Partial<Record<DatasetName, ReadonlyMap<string, number | null>>>>;

export interface ListedUpstreams {
  /** Ids of all that the source lists. */
  readonly listed: readonly string[];
  /** Those that failed today, whose rows are those of an earlier day. */
  readonly carried: readonly string[];
}

/**
 * Counts the rows of each upstream as they came, good or bad (specification "Guard"). A row that names several counts for each. Has to
 * come before the rows are checked: who reads them last detaches what names their upstreams, and takes out rows that others have a part in.
 */
export async function countUpstreamRows(
  database: Database,
  capture: Capture,
  upstreams: ListedUpstreams,
): Promise<UpstreamRows> {
  const counted: Partial<Record<DatasetName, ReadonlyMap<string, number | null>>> = {};
  if (upstreams.listed.length === 0) return counted;
  for (const name of DATASET_NAMES) {
    const captured = capture.datasets.find(({ dataset }) => dataset === name);
    const rows = captured === undefined ? undefined : await countRows(database, captured, upstreams.listed);
    counted[name] = new Map(
      upstreams.listed.map((id) => [id, upstreams.carried.includes(id) ? null : (rows?.get(id) ?? null)]),
    );
  }
  return counted;
}

/** Rows by upstream, 0 for one that no row names; undefined where rows don't say whose they are. */
async function countRows(
  database: Database,
  { rows, relation: { staged } }: CapturedDataset,
  listed: readonly string[],
): Promise<ReadonlyMap<string, number> | undefined> {
  if (staged?.upstreamSql === undefined) {
    const [only, ...others] = listed;
    return only === undefined || others.length > 0 ? undefined : new Map([[only, rows]]);
  }
  const counts = await database.rows(
    { id: text, rows: number },
    `SELECT id, coalesce(sum(same) FILTER (list_contains(${upstreamIdsSql('upstream')}, id)), 0)::DOUBLE AS rows
     FROM (SELECT unnest($1::JSON::VARCHAR[]) AS id)
     LEFT JOIN (SELECT upstream, count(*) AS same FROM (SELECT ${staged.upstreamSql} AS upstream FROM ${staged.name}.staged) GROUP BY upstream) ON true
     GROUP BY id`,
    [JSON.stringify(listed)],
  );
  return new Map(counts.map((count) => [count.id, count.rows]));
}
