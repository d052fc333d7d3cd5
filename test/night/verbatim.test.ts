import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATASETS, type DatasetName, publishedColumns } from '../../schemas/datasets.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import { canonicalLine, type PublishedRecord } from '../../schemas/records.ts';
import { newestOf, readSnapshot } from '../support/pipeline/published.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';
import { anyId, anyNumber, anyText } from '../support/schemas/arbitrary-record.ts';

/** In the newest version of the records, which has every field of the table. */
const DAY = RECORD_VERSIONS.at(-1)?.inForceFrom ?? '';
const UPDATED_AT = '2026-05-01T00:00:00Z';
const BENCHMARK = { id: 'b', name: 'B', category: null, updated_at: UPDATED_AT };

const store = useStore();
const source = sourceOf(store);

const FORMATS: readonly { readonly format: string; readonly print: (rows: readonly PublishedRecord[]) => string }[] = [
  { format: 'jsonl', print: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('') },
  { format: 'json', print: (rows) => `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]` },
  { format: 'csv', print: csvText },
];

describe.each(FORMATS)('a source in $format', ({ format, print }) => {
  it('is published as it stands: any id, any text, any finite number', { timeout: 120_000 }, async () => {
    const models = anyModels();
    const scores = models.map(({ id }, index) => anyScore(String(id), index));
    await source.write(`${DAY}/models.${format}`, print(models));
    await source.write(`${DAY}/scores.${format}`, print(scores));
    await source.write(`${DAY}/benchmarks.jsonl`, [BENCHMARK]);
    expect(await source.night(DAY)).toMatchObject({ status: 'published', quarantined: 0 });
    expect(await published('models')).toEqual(canonicalLines('models', models));
    expect(await published('scores')).toEqual(canonicalLines('scores', scores));
  });
});

/** Texts that are JSON themselves are taken for a value of the wrong type; a text begins with a letter here. */
function anyModels(): readonly PublishedRecord[] {
  const record = fc.record({
    id: anyId.map((id) => `m${id}`),
    name: anyText.map((text) => `N${text}`),
    organization: anyText.map((text) => `O${text}`),
    source: anyText.map((text) => `S${text}`),
  });
  const rest = { release_date: null, context_length: null, inference: null, updated_at: UPDATED_AT };
  const records = fc.sample(record, { numRuns: 400, seed: 20260601 }).map((model) => ({ ...model, ...rest }));
  return [...new Map(records.map((model) => [model.id, model])).values()];
}

const NUMBERS = fc.sample(anyNumber, { numRuns: 400, seed: 20260602 });

function anyScore(modelId: string, index: number): PublishedRecord {
  const value = NUMBERS[index] ?? 0;
  return { model_id: modelId, benchmark_id: 'b', value, source: null, measured_at: null, updated_at: UPDATED_AT };
}

function csvText(rows: readonly PublishedRecord[]): string {
  const header = Object.keys(rows[0] ?? {});
  const field = (value: PublishedRecord[string] | undefined) =>
    value === null ? '' : `"${String(value).replaceAll('"', '""')}"`;
  return [header.join(','), ...rows.map((row) => header.map((name) => field(row[name])).join(','))].join('\n');
}

async function published(dataset: DatasetName): Promise<readonly string[]> {
  return (await readSnapshot(store, await newestOf(store), dataset)).split('\n').slice(0, -1);
}

/** The lines in the byte order of their keys, as they should be published. */
function canonicalLines(dataset: DatasetName, records: readonly PublishedRecord[]): readonly string[] {
  const [firstKey = ''] = publishedColumns(DATASETS[dataset]).map(({ name }) => name);
  const bytes = (record: PublishedRecord) => Buffer.from(String(record[firstKey]));
  return [...records]
    .sort((a, b) => Buffer.compare(bytes(a), bytes(b)))
    .map((record) => canonicalLine(dataset, record));
}
