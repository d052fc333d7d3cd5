import { createHash } from 'node:crypto';
import type SqliteDatabase from 'better-sqlite3';
import { AppError } from '../../../runtime/errors.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { firstRetainedSeq } from '../view-meta.ts';

/** In the order of each key. */
const ORDER: Readonly<Record<DatasetName, string>> = {
  models: 'model',
  benchmarks: 'benchmark',
  scores: 'model, benchmark',
  rankings: 'model, category',
  pricing: 'model, provider',
};

/** Throws `corrupt` unless the records of a view are those of a release, and its events those that the catalog still has. */
export function assertEqual(view: SqliteDatabase.Database, release: Release, catalog: Catalog): void {
  for (const name of DATASET_NAMES) {
    const manifest = release.manifest.datasets.find((dataset) => dataset.name === name);
    const found = hashOf(view, name);
    if (found !== manifest?.content_sha256) throw new AppError('corrupt', `the ${name} of the view are not those of ${release.day}`);
  }
  const { count, first, last } = eventsIn(view);
  const expected = release.last_seq - firstRetainedSeq(catalog) + 1;
  if (count !== expected || (count > 0 && last - first + 1 !== count))
    throw new AppError('corrupt', `the releases together hold ${count} events, but ${expected} are recorded`);
}

/** The SHA-256 of a dataset's lines, each with a line feed, as the snapshot has them. */
function hashOf(view: SqliteDatabase.Database, name: DatasetName): string {
  const hash = createHash('sha256');
  const lines = view.prepare<[], string>(`SELECT line FROM ${name} ORDER BY ${ORDER[name]}`).pluck().iterate();
  let batch = '';
  for (const line of lines) {
    batch += `${line}\n`;
    if (batch.length < BATCH_LENGTH) continue;
    hash.update(batch);
    batch = '';
  }
  return hash.update(batch).digest('hex');
}

const BATCH_LENGTH = 65_536;

function eventsIn(view: SqliteDatabase.Database) {
  const row = view
    .prepare<[], { readonly count: number; readonly first: number; readonly last: number }>(
      'SELECT count(*) AS count, coalesce(min(seq), 0) AS first, coalesce(max(seq), 0) AS last FROM events',
    )
    .get();
  return row ?? { count: 0, first: 0, last: 0 };
}
