/**
 * The proof of a night (specification "Proof"; decision 0024): reads the written files back and replays the events on
 * yesterday's snapshot, as a consumer would; see `findReplayFault`. It shares no code with diff.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UPSERT_ORDER } from '../../schemas/change.ts';
import type { Dataset } from '../../schemas/datasets.ts';
import type { DatasetFile } from '../../schemas/manifest.ts';
import { type Database, sqlText, writeLines } from '../../storage/duckdb/database.ts';
import { nullable, number } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { LineReader } from '../../storage/gzip-lines.ts';
import { readGzip } from '../../storage/hash.ts';
import { RELEASE_PATHS, snapshotPaths } from '../../storage/keys.ts';
import { type ReadBack, readBack, readBackInThread } from '../proof/read-back.ts';
import { findRecordFault, misnamedEventsSql } from '../proof/replay.ts';
import { allEnded } from '../run/concurrency.ts';
import type { WorkDeps } from '../run/run.ts';
import type { Diff } from './diff.ts';
import type { NightVersions, Previous } from './previous.ts';
import type { SnapshotFiles, WrittenSnapshot } from './snapshot.ts';

export interface ProveInput {
  readonly changed: Diff;
  readonly written: WrittenSnapshot;
  readonly previous: Previous;
  readonly versions: NightVersions;
}

/** The release's files are in `folder`. */
type ProveDeps = WorkDeps & { readonly folder: string };
type FileDeps = Omit<ProveDeps, 'database'>;

/** First part: the events. {@link proveFiles} is the second. Both reject on a contradiction, which is a defect. */
export async function proveEvents({ changed, written, versions }: ProveInput, deps: ProveDeps): Promise<void> {
  const changes = join(deps.folder, RELEASE_PATHS.changes);
  await deps.database.run(`CREATE VIEW published_changes AS SELECT * FROM read_parquet(${sqlText(changes)})`);
  await proveSeqs(changed, versions, deps.database);
  await proveNames(deps.database);
  for (const name of UPSERT_ORDER) await writeEvents(written.inForce.version.datasets[name], deps);
}

/** Second part: the public files, without DuckDB. */
export async function proveFiles(input: ProveInput, deps: FileDeps): Promise<void> {
  const { written } = input;
  for (const snapshot of [written.inForce, ...written.noticed]) {
    await allEnded(snapshot.files.map((file) => proveFile(file, snapshot, { ...input, ...deps })));
  }
}

/** Events have no gaps or repeats, and all are in the version in force. */
async function proveSeqs(diff: Diff, { inForce }: NightVersions, database: Database): Promise<void> {
  const row = await database.row(
    { events: number, distinct_seqs: number, first: nullable(number), last: nullable(number) },
    `SELECT count(*) FILTER (schema_version = $1)::DOUBLE AS events, count(DISTINCT seq)::DOUBLE AS distinct_seqs,
            min(seq)::DOUBLE AS first, max(seq)::DOUBLE AS last FROM published_changes`,
    [inForce.version],
  );
  const expected = diff.events.upsert + diff.events.delete;
  const isGapless =
    row.events === expected &&
    row.distinct_seqs === expected &&
    row.first === diff.firstSeq &&
    row.last === (expected === 0 ? null : diff.lastSeq);
  if (!isGapless) throw failed('the events are not numbered without gaps', { ...row, expected });
}

/** Every event's `entity_id`, `key` and `data` name the same record. */
async function proveNames(database: Database): Promise<void> {
  const { events } = await database.row({ events: number }, misnamedEventsSql('published_changes'));
  if (events !== 0)
    throw failed('an entity_id is not the key of its event, or the data is of another record', { events });
}

/**
 * The file's sizes and hashes, compressed and not, are as recorded. Its lines are yesterday's plus the events; in a
 * noticed version, the records in force.
 */
async function proveFile(file: DatasetFile, snapshot: SnapshotFiles, deps: ProveInput & FileDeps): Promise<void> {
  if (file.records !== deps.changed.records[file.name]) {
    throw failed(`${file.name} of ${snapshot.id} has ${file.records} lines`, deps.changed.records);
  }
  const { compressed, content } = await readLines(file, snapshot, deps);
  const isSame =
    compressed.bytes === file.bytes &&
    compressed.sha256 === file.sha256 &&
    content.bytes === file.content_bytes &&
    content.sha256 === file.content_sha256;
  if (isSame) return;
  throw failed(`${file.name} of ${snapshot.id} reads back differently`, { file, compressed, bytes: content.bytes });
}

/** Rejects where the lines don't follow. */
function readLines(file: DatasetFile, snapshot: SnapshotFiles, deps: ProveInput & FileDeps): Promise<ReadBack> {
  const dataset = snapshot.version.datasets[file.name];
  const path = join(deps.folder, snapshotPaths(snapshot).dataset(file.name));
  if (snapshot !== deps.written.inForce) return readNoticed(dataset, path, deps);
  if (dataset.entityType === null) return readBack(path, drain);
  return replay(dataset, { path, bytes: file.content_bytes }, deps);
}

/** The lines in a noticed version are the records in force. */
async function readNoticed(
  dataset: Dataset,
  path: string,
  { written: { inForce }, folder }: ProveInput & FileDeps,
): Promise<ReadBack> {
  const ofForce = join(folder, snapshotPaths(inForce).dataset(dataset.name));
  const read = await readBack(path, (lines) =>
    findRecordFault({
      inForce: { dataset: inForce.version.datasets[dataset.name], lines: new LineReader(readGzip(ofForce)) },
      noticed: { dataset, lines: new LineReader(lines) },
    }),
  );
  if (read.fault !== undefined) throw failed(`${dataset.name} under notice are not the records in force`, read.fault);
  return read;
}

/** Yesterday's lines plus the events give today's, byte for byte. */
async function replay(
  dataset: Dataset,
  { path, bytes }: { readonly path: string; readonly bytes: number },
  { previous, versions, ...deps }: ProveInput & FileDeps,
): Promise<ReadBack> {
  const yesterday = join(deps.scratch, `${dataset.name}.yesterday`);
  const events = eventsPath(dataset, deps);
  if (previous.release !== undefined) {
    await fetchReleaseFile(deps.store, previous.release, RELEASE_PATHS.snapshot(dataset.name), yesterday);
  }
  const before = previous.release === undefined ? undefined : yesterday;
  const isRenewed = versions.renewed.includes(dataset.name);
  const read = await readBackInThread({ path, key: dataset.key, before, events, isRenewed }, bytes);
  if (read.fault !== undefined)
    throw failed(`yesterday's ${dataset.name} plus the events do not give today's`, read.fault);
  await Promise.all([rm(events), rm(yesterday, { force: true })]);
  return read;
}

function eventsPath({ name }: Dataset, { scratch }: FileDeps): string {
  return join(scratch, `${name}.events`);
}

/** In the format of `findReplayFault`. */
async function writeEvents(dataset: Dataset, deps: ProveDeps): Promise<void> {
  await writeLines(deps.database, eventsSql(dataset), eventsPath(dataset, deps));
}

/** One row per event, by key. */
function eventsSql(dataset: Dataset): string {
  const start = `left(key, length(key) - 1)`; // A record's line starts with its key, left open.
  const parts = dataset.key.map((name) => `key ->> '$.${name}'`);
  return `SELECT concat(${start}, ',', chr(9), CASE op WHEN 'upsert' THEN data END) AS line
    FROM published_changes WHERE entity_type = '${dataset.entityType}' ORDER BY ${parts.join(', ')}`;
}

async function drain(lines: AsyncIterable<Buffer>): Promise<undefined> {
  for await (const _ of lines);
}

function failed(message: string, details: unknown): Error {
  return new Error(`the night's proof failed: ${message}; nothing is published`, { cause: details });
}
