import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type DuckDBValue, listValue } from '@duckdb/node-api';
import { AppError } from '../../../runtime/errors.ts';
import { type Database, sqlText, writeLines } from '../../../storage/duckdb/database.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import type { HistoryKind } from '../tables/history-kinds.ts';
import { lineSql } from './history-line.ts';
import { Marker } from './history-marks.ts';
import { BLOCK_BYTES, BlockSums, type Slice } from './text-file.ts';
import { type FeedMeta, type HistoryMeta, type TextMeta, type TextsMeta, textFileName } from './text-meta.ts';

/** Texts are synced before the view records them, so a killed process leaves only unused bytes. */

/** Blocks the event loop for some tenths of a millisecond. */
const CHUNK_BYTES = 32 * BLOCK_BYTES;

/** Sums and syncs a finished file. @param onChunk must not retain the chunk */
export async function sealText(path: string, onChunk: (chunk: Buffer) => void = () => {}): Promise<TextMeta> {
  const file = await open(path, 'r+');
  try {
    const sums = new BlockSums();
    for await (const chunk of chunksOf(file, { from: 0, to: (await file.stat()).size })) {
      sums.add(chunk);
      onChunk(chunk);
    }
    await file.datasync();
    return { file: basename(path), bytes: sums.bytes, sums: sums.sums };
  } finally {
    await file.close();
  }
}

export interface FileSlice extends Slice {
  readonly path: string;
}

/** Appends slices to a known text, or starts one. Removes bytes of a failed build after the known text. */
export async function appendText(
  path: string,
  known: TextMeta | undefined,
  sources: readonly FileSlice[],
): Promise<TextMeta> {
  const file = await open(path, known === undefined ? 'wx' : 'r+');
  try {
    const sums = new BlockSums(known);
    const { size } = await file.stat();
    if (size < sums.bytes) throw new Error(`${path} has ${size} bytes, but ${sums.bytes} are known`);
    await file.truncate(sums.bytes);
    for (const source of sources) await copyInto(file, sums, source);
    await file.datasync();
    return { file: basename(path), bytes: sums.bytes, sums: sums.sums };
  } finally {
    await file.close();
  }
}

async function copyInto(target: FileHandle, sums: BlockSums, source: FileSlice): Promise<void> {
  const file = await open(source.path, 'r');
  try {
    for await (const chunk of chunksOf(file, source)) {
      for (let written = 0; written < chunk.length; ) {
        const { bytesWritten } = await target.write(chunk, written, chunk.length - written, sums.bytes + written);
        written += bytesWritten;
      }
      sums.add(chunk);
    }
  } finally {
    await file.close();
  }
}

/** Each chunk is valid until the next. Throws if the file ends early. */
async function* chunksOf(file: FileHandle, { from, to }: Slice): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = from; at < to; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, to - at), at);
    if (bytesRead === 0) throw new Error(`the file ends at byte ${at}, before ${to}`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

export interface FeedInput {
  /** Parquet files of events that the previous view doesn't have. */
  readonly changes: readonly string[];
  /** The first event in the feed. */
  readonly firstSeq: number;
  /** Of the previous view, attached as `prev`. */
  readonly previous: FeedMeta | undefined;
  /** Of the view's database; the texts are written beside it. */
  readonly viewPath: string;
  /** A folder for temporary files. */
  readonly scratch: string;
}

/**
 * Writes the feed's events to `view.changes` and a text. Successive views append to one file; events that left the feed stay at its
 * start until they are more than half of it.
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
  throw new AppError('corrupt', `the feed's text has ${feed.bytes - feed.from} bytes, but its events have ${bytes}`);
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
  const news: FileSlice = { path: added, from: 0, to: (await stat(added)).size };
  const { gone } = await database.row(
    { gone: number },
    'SELECT coalesce(sum(bytes), 0)::DOUBLE AS gone FROM prev.changes WHERE seq < $1',
    [input.firstSeq],
  );
  const from = previous.from + gone;
  if (from <= previous.bytes / 2) return { ...(await appendText(shared, previous, [news])), from };
  const rest: FileSlice = { path: shared, from, to: previous.bytes };
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

/** Files, and events in each, are in the order of seq. */
async function copyEvents(database: Database, { changes, firstSeq }: FeedInput, path: string): Promise<void> {
  const events =
    changes.length === 0
      ? `SELECT ''::BLOB WHERE false`
      : `SELECT encode(${EVENT_SQL}) FROM read_parquet([${changes.map(sqlText).join(', ')}]) WHERE seq >= ${firstSeq}`;
  await database.run(`COPY (${events}) TO ${sqlText(path)} (FORMAT blob)`);
}

/** An event as sent (specification "Change events"), and a comma; `data` is stored as JSON text. */
const EVENT_SQL = `concat('{"seq":', seq, ',"occurred_on":"', occurred_on, '","entity_type":"', entity_type,
  '","entity_id":', CAST(to_json(entity_id) AS VARCHAR), ',"key":', key, ',"op":"', op, '","data":', coalesce(data, 'null'),
  ',"schema_version":"', schema_version, '"},')`;

export async function writeHistories(database: Database, viewPath: string): Promise<TextsMeta['histories']> {
  const write = async (kind: HistoryKind): Promise<HistoryMeta> => {
    const path = join(dirname(viewPath), textFileName(viewPath, kind));
    await writeLines(database, `SELECT ${lineSql(kind)} FROM view.history_${kind}`, path);
    const marker = new Marker();
    const text = await sealText(path, (chunk) => marker.add(chunk));
    return { ...text, marks: marker.marks };
  };
  return {
    score: await write('score'),
    ranking: await write('ranking'),
    pricing: await write('pricing'),
    metadata: await write('metadata'),
  };
}
