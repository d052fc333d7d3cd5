import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DuckDBValue, listValue } from '@duckdb/node-api';
import { AppError } from '../../../runtime/errors.ts';
import { type Database, sqlText } from '../../../storage/duckdb/database.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import { type FeedMeta, textFileName } from './text-meta.ts';
import { appendText, type Source, sealText } from './write-text.ts';

export interface FeedInput {
  /** Parquet files with the events of the releases that the view before doesn't have. */
  readonly changes: readonly string[];
  /** The first event that stays in the feed. */
  readonly firstSeq: number;
  /** The feed of the view before, whose database is attached as `prev`. */
  readonly previous: FeedMeta | undefined;
  /** Where the view's database goes; its texts lie beside it. */
  readonly viewPath: string;
  /** A folder for what isn't kept. */
  readonly scratch: string;
}

/**
 * Writes the events that are still in the feed: a row for each in `view.changes`, and their text. Successive views share one
 * file: new events come behind those that the view before knows, and what goes out of the feed is left lying at its beginning until
 * that is more than the rest.
 */
export async function writeFeed(database: Database, input: FeedInput): Promise<FeedMeta> {
  const { previous, viewPath } = input;
  await createChanges(database, input);
  const own = join(dirname(viewPath), textFileName(viewPath, 'feed'));
  const feed =
    previous === undefined
      ? await beginFeed(database, input, own)
      : await extendFeed(database, input, { previous, own });
  const { bytes } = await database.row(
    { bytes: number },
    'SELECT coalesce(sum(bytes), 0)::DOUBLE AS bytes FROM view.changes',
  );
  if (feed.from + bytes === feed.bytes) return feed;
  throw new AppError('corrupt', `the text of the feed has ${feed.bytes - feed.from} bytes, its events ${bytes}`);
}

async function beginFeed(database: Database, input: FeedInput, path: string): Promise<FeedMeta> {
  await copyEvents(database, input, path);
  return { ...(await sealText(path)), from: 0 };
}

async function extendFeed(
  database: Database,
  input: FeedInput,
  { previous, own }: { readonly previous: FeedMeta; readonly own: string },
): Promise<FeedMeta> {
  const shared = join(dirname(own), previous.file);
  const added = join(input.scratch, 'feed');
  await copyEvents(database, input, added);
  const news: Source = { path: added, from: 0, to: (await stat(added)).size };
  const { gone } = await database.row(
    { gone: number },
    'SELECT coalesce(sum(bytes), 0)::DOUBLE AS gone FROM prev.changes WHERE seq < $1',
    [input.firstSeq],
  );
  const from = previous.from + gone;
  if (from <= previous.bytes / 2) return { ...(await appendText(shared, previous, [news])), from };
  const rest: Source = { path: shared, from, to: previous.bytes };
  return { ...(await appendText(own, undefined, [rest, news])), from: 0 };
}

async function createChanges(database: Database, { changes, firstSeq, previous }: FeedInput): Promise<void> {
  const selects = ['SELECT NULL::BIGINT AS seq, NULL::VARCHAR AS entity_type, NULL::UINTEGER AS bytes WHERE false'];
  const values: DuckDBValue[] = [firstSeq];
  if (previous !== undefined) selects.push('SELECT * FROM prev.changes WHERE seq >= $1');
  if (changes.length > 0) {
    values.push(listValue([...changes]));
    selects.push(
      `SELECT seq, entity_type, strlen(${EVENT_SQL})::UINTEGER AS bytes FROM read_parquet($2) WHERE seq >= $1`,
    );
  }
  await database.run(
    `CREATE TABLE view.changes AS FROM (${selects.join(' UNION ALL ')}) WHERE $1 > 0 ORDER BY seq`,
    values,
  );
}

/** Writes the text of the new events, by seq: their files are in order, and each of them is. */
async function copyEvents(database: Database, { changes, firstSeq }: FeedInput, path: string): Promise<void> {
  const events =
    changes.length === 0
      ? `SELECT ''::BLOB WHERE false`
      : `SELECT encode(${EVENT_SQL}) FROM read_parquet([${changes.map(sqlText).join(', ')}]) WHERE seq >= ${firstSeq}`;
  await database.run(`COPY (${events}) TO ${sqlText(path)} (FORMAT blob)`);
}

/** An event as it is sent (specification "Change events"), and a comma; `data` is stored as the JSON text of the record. */
const EVENT_SQL = `concat('{"seq":', seq, ',"occurred_on":"', occurred_on, '","entity_type":"', entity_type,
  '","entity_id":', CAST(to_json(entity_id) AS VARCHAR), ',"key":', key, ',"op":"', op, '","data":', coalesce(data, 'null'),
  ',"schema_version":"', schema_version, '"},')`;
