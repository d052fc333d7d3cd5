/** Copies of each kind that is a file, against a map in memory; PostgreSQL is in test/sync/. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DATASET_NAMES, DATASETS, type DatasetName, mapDatasets } from '../../../schemas/datasets.ts';
import { SCHEMA_VERSION } from '../../../schemas/record-versions.ts';
import { canonicalLine, type PublishedRecord } from '../../../schemas/records.ts';
import { collect } from '../../../test/support/client/collect.ts';
import { anyRecord } from '../../../test/support/schemas/arbitrary-record.ts';
import { newFolder } from '../../../test/support/temporary-folder.ts';
import type { Copy, SyncState, Update } from '../copy.ts';
import { compareKeys, keyOf, writeLines } from '../json-lines.ts';
import { openCopy } from './open-copy.ts';

const STATE: SyncState = {
  url: 'https://api.example.com',
  snapshot_id: '2026-06-01',
  cursor: 'MQ',
  schema_version: '1.0',
  data_as_of: '2026-06-01T23:59:59Z',
  synced_at: '2026-06-02T00:20:00Z',
  benchmarks_sha256: null,
  history_from: null,
  etags: null,
};

/** What an update does to one dataset. */
interface Step {
  readonly dataset: DatasetName;
  readonly isReplacing: boolean;
  readonly written: readonly PublishedRecord[];
  /** Which of the records before are deleted, as numbers of 0 to 1 along their order. */
  readonly deleted: readonly number[];
}

const steps = fc.array(
  fc.constantFrom(...DATASET_NAMES).chain((dataset) =>
    fc.record({
      dataset: fc.constant(dataset),
      isReplacing: fc.boolean(),
      written: fc.uniqueArray(anyRecord(DATASETS[dataset]), {
        maxLength: 6,
        selector: (record) => JSON.stringify(keyOf(dataset, record)),
      }),
      deleted: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 3 }),
    }),
  ),
  { maxLength: 6 },
);

type Model = ReadonlyMap<string, PublishedRecord>;

function sorted(dataset: DatasetName, records: Iterable<PublishedRecord>): readonly PublishedRecord[] {
  return [...records].sort((a, b) => compareKeys(keyOf(dataset, a), keyOf(dataset, b)));
}

/** Applies a step to the copy and to the model. */
async function apply(copy: Copy, folder: string, before: Model, step: Step): Promise<Model> {
  const { dataset, isReplacing, written, deleted } = step;
  const nameOf = (record: PublishedRecord) => JSON.stringify(keyOf(dataset, record));
  const known = sorted(dataset, before.values());
  const names = new Set(written.map(nameOf));
  const gone = isReplacing ? [] : deleted.flatMap((part) => known.slice(Math.floor(part * known.length)).slice(0, 1));
  const deletes = [
    ...new Map(gone.filter((record) => !names.has(nameOf(record))).map((record) => [nameOf(record), record])).values(),
  ];
  const [lines, keys] = [join(folder, 'written.jsonl'), join(folder, 'deleted.jsonl')];
  await writeLines(
    lines,
    sorted(dataset, written).map((record) => canonicalLine(dataset, record)),
  );
  const keyObjects = deletes.map((record) =>
    Object.fromEntries(DATASETS[dataset].key.map((part) => [part, record[part]])),
  );
  await writeLines(
    keys,
    keyObjects.map((key) => JSON.stringify(key)),
  );
  const update: Update = {
    replaced: isReplacing ? { [dataset]: lines } : {},
    upserts: isReplacing ? {} : { [dataset]: lines },
    deletes: deletes.length === 0 ? {} : { [dataset]: keys },
    events: undefined,
    dropsEvents: false,
    state: STATE,
  };
  await copy.update(update);
  const kept = new Map(isReplacing ? [] : before);
  for (const record of deletes) kept.delete(nameOf(record));
  for (const record of written) kept.set(nameOf(record), record);
  return kept;
}

test.each(['.duckdb', '.sqlite', ''])(
  'a copy "%s" holds what its updates leave, whatever the records',
  { timeout: 120_000 },
  async (ending) => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const folder = await newFolder();
        const copy = await openCopy(join(folder, `copy${ending}`), { memoryLimit: '500MB', threads: 1 });
        try {
          const models: Record<DatasetName, Model> = { ...mapDatasets(() => new Map()) };
          for (const step of all) models[step.dataset] = await apply(copy, folder, models[step.dataset], step);
          for (const dataset of DATASET_NAMES) {
            const records = sorted(dataset, models[dataset].values());
            const expected = records.map((record) => canonicalLine(dataset, record));
            expect(await collect(copy.lines(dataset, SCHEMA_VERSION))).toEqual(expected);
          }
        } finally {
          await copy.close();
        }
      }),
      { numRuns: Number(process.env['RANDOM_SERIES'] ?? 6) },
    );
  },
);
