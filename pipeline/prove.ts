/**
 * The proof of a night (DESIGN §1 and §5): what is about to be published is read back from the written files and must
 * follow from yesterday. It shares no query with diff: it replays the events as a consumer would.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASETS, type Dataset } from '../schemas/datasets.ts';
import type { DatasetFile } from '../schemas/manifest.ts';
import { type Database, sqlText } from '../storage/duckdb.ts';
import { hashFile, hashGzipContent } from '../storage/hash.ts';
import { RELEASE_PATHS } from '../storage/keys.ts';
import { columnList, entityIdSql, lineSql } from '../storage/record-sql.ts';
import type { Diff } from './diff.ts';
import { replaySql } from './replay.ts';
import { writeLines } from './snapshot.ts';
import { table } from './tables.ts';

export interface ProveDeps {
  readonly database: Database;
  readonly folder: string;
  readonly scratch: string;
}

/** Stage 6 of the night. Rejects where anything doesn't follow: that is a defect of ours, and nothing is published. */
export async function prove(diff: Diff, files: readonly DatasetFile[], deps: ProveDeps): Promise<void> {
  const changes = join(deps.folder, RELEASE_PATHS.changes);
  await deps.database.run(`CREATE VIEW published_changes AS SELECT * FROM read_parquet(${sqlText(changes)})`);
  await proveSeqs(diff, deps.database);
  for (const file of files) {
    await proveFile(file, join(deps.folder, RELEASE_PATHS.snapshot(file.name)));
    if (DATASETS[file.name].entityType !== null) await proveReplay(DATASETS[file.name], file, deps);
    if (file.records !== diff.records[file.name]) throw failed(`${file.name} has ${file.records} lines`, diff.records);
  }
}

/** Events are numbered without a gap or a repeat, and none is of another day's. */
async function proveSeqs(diff: Diff, database: Database): Promise<void> {
  const row = await database.row(
    `SELECT count(*)::DOUBLE AS events, count(DISTINCT seq)::DOUBLE AS distinct_seqs, min(seq)::DOUBLE AS first,
            max(seq)::DOUBLE AS last FROM published_changes`,
  );
  const expected = diff.events.upsert + diff.events.delete;
  const isGapless =
    row['events'] === expected &&
    row['distinct_seqs'] === expected &&
    row['first'] === diff.firstSeq &&
    row['last'] === (expected === 0 ? null : diff.lastSeq);
  if (!isGapless) throw failed('the events are not numbered without gaps', { ...row, expected });
}

/** The compressed file, read back, has the recorded size and hashes on both sides of the compression. */
async function proveFile(file: DatasetFile, path: string): Promise<void> {
  const [compressed, content] = await Promise.all([hashFile(path), hashGzipContent(path)]);
  const isSame =
    compressed.bytes === file.bytes &&
    compressed.sha256 === file.sha256 &&
    content.bytes === file.content_bytes &&
    content.sha256 === file.content_sha256;
  if (!isSame) throw failed(`${file.name} reads back differently`, { file, compressed, content });
}

/** Yesterday's state plus the events gives today's lines, byte for byte. */
async function proveReplay(dataset: Dataset, file: DatasetFile, deps: ProveDeps): Promise<void> {
  const replayed = join(deps.scratch, `${dataset.name}.replayed`);
  const previous = `SELECT ${columnList(dataset.key)}, ${entityIdSql(dataset)} AS entity_id, ${lineSql(dataset)} AS line
    FROM ${table('previous', dataset.name)}`;
  const changes = 'SELECT * FROM published_changes';
  await writeLines(deps.database, replaySql(dataset, { previous, changes }), replayed);
  const { bytes, sha256 } = await hashFile(replayed);
  await rm(replayed);
  if (bytes !== file.content_bytes || sha256 !== file.content_sha256) {
    throw failed(`yesterday's ${dataset.name} plus the events do not give today's`, { file, bytes, sha256 });
  }
}

function failed(message: string, details: unknown): Error {
  return new Error(`the night's proof failed: ${message}; nothing is published`, { cause: details });
}
