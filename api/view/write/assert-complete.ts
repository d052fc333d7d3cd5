import { createHash } from 'node:crypto';
import { AppError } from '../../../runtime/errors.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { firstRetainedSeq } from '../view-meta.ts';
import type { Writer } from './writer.ts';

/** SQL of the lines in the order of each key, joined by line feeds: per model, which takes half the time of one by one. */
const LINES: Readonly<Record<DatasetName, string>> = {
  models: 'SELECT line FROM models ORDER BY model',
  benchmarks: 'SELECT line FROM benchmarks ORDER BY benchmark',
  // Clustered by this key.
  scores: 'SELECT group_concat(line, char(10)) FROM scores GROUP BY model ORDER BY model',
  rankings: 'SELECT group_concat(line, char(10) ORDER BY category) FROM rankings GROUP BY model ORDER BY model',
  pricing: 'SELECT group_concat(line, char(10)) FROM pricing GROUP BY model ORDER BY model',
};

/** Throws `corrupt` unless the records are those of a release, byte for byte, and the events those that the catalog retains. */
export function assertComplete(view: Writer['view'], { manifest, day, last_seq }: Release, catalog: Catalog): void {
  for (const name of DATASET_NAMES) {
    const expected = manifest.datasets.find((dataset) => dataset.name === name)?.content_sha256;
    if (hashOf(view, name) !== expected)
      throw new AppError('corrupt', `the ${name} in the view are not those of ${day}`);
  }
  const { first, last } = seqsIn(view);
  const firstSeq = firstRetainedSeq(catalog);
  if (firstSeq > last_seq ? first !== null : first === null || first > firstSeq || last !== last_seq) {
    throw new AppError('corrupt', `the view has events ${first} to ${last} instead of ${firstSeq} to ${last_seq}`);
  }
}

/** Of the lines of a snapshot. */
function hashOf(view: Writer['view'], name: DatasetName): string {
  const hash = createHash('sha256');
  const lines = view.prepare<[], string>(LINES[name]).pluck().iterate();
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

/** The blocks are without gaps inside; see `write/events.ts`. */
function seqsIn(view: Writer['view']) {
  const row = view
    .prepare<[], { readonly first: number | null; readonly last: number | null; readonly count: number }>(
      'SELECT min(first_seq) AS first, max(first_seq + length(types)) - 1 AS last, sum(length(types)) AS count FROM events',
    )
    .get();
  const { first = null, last = null, count = 0 } = row ?? {};
  if (first !== null && last !== null && last - first + 1 !== count) {
    throw new AppError('corrupt', `the view has ${count} events from ${first} to ${last}`);
  }
  return { first, last };
}
