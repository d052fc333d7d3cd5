import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecord } from '../test/support/schemas/arbitrary-record.ts';
import { versionTwo } from '../test/support/schemas/record-versions.ts';
import { DATASET_NAMES, DATASETS, ENTITY_TYPES, publishedColumns, publishedName } from './datasets.ts';
import { getVersion, RECORD_VERSIONS } from './record-versions.ts';
import { canonicalLine, type PublishedRecord, recordSchema } from './records.ts';

const OF_VERSIONS = [DATASETS, versionTwo('2026-05-01').datasets].flatMap((datasets, index) =>
  DATASET_NAMES.map((name) => ({ name, dataset: datasets[name], version: `${index + 1}.0` })),
);

describe.each(OF_VERSIONS)('the canonical line of $name in $version', ({ name, dataset }) => {
  const ofAny = (check: (record: PublishedRecord) => void) => fc.assert(fc.property(anyRecord(dataset), check));

  it('is what a consumer gets who parses it and prints it again', () => {
    ofAny((record) => {
      const line = canonicalLine(name, record, dataset);
      expect(JSON.stringify(JSON.parse(line))).toBe(line);
    });
  });

  it('has every published column in wire order, and fits the schema', () => {
    ofAny((record) => {
      const parsed = JSON.parse(canonicalLine(name, record, dataset));
      expect(Object.keys(parsed)).toEqual(publishedColumns(dataset).map(publishedName));
      expect(recordSchema(name, dataset).safeParse(parsed).error).toBeUndefined();
    });
  });

  it('does not depend on the order of the fields it is made of, nor on whether a null is written out', () => {
    ofAny((record) => {
      const line = canonicalLine(name, record, dataset);
      const fields = Object.entries(record).reverse();
      for (const same of [fields, fields.filter(([, value]) => value !== null)])
        expect(canonicalLine(name, Object.fromEntries(same), dataset)).toBe(line);
    });
  });
});

it('values that later versions add to a closed set fit the published schema', () => {
  const { status } = recordSchema('models').shape;
  const { reported_by } = recordSchema('scores').shape;
  for (const schema of [status, reported_by]) expect(schema?.safeParse('later').success).toBe(true);
});

it('the canonical line prints numbers in their shortest form, without a minus before zero', () => {
  const record = { model_id: 'm', benchmark_id: 'b', value: -0, updated_at: '2026-06-01T00:00:00Z' };
  const line = canonicalLine('scores', record, getVersion(RECORD_VERSIONS, '1.0').datasets.scores);
  const ends = '"value":0,"source":null,"measured_at":null,"updated_at":"2026-06-01T00:00:00Z"}';
  expect(line).toBe(`{"model_id":"m","benchmark_id":"b",${ends}`);
});

it('every entity type stands for the dataset that names it', () => {
  const types = DATASET_NAMES.map((name) => [name, DATASETS[name].entityType] as const);
  expect(types).toEqual([
    ['models', 'model'],
    ['benchmarks', null],
    ['scores', 'score'],
    ['rankings', 'ranking'],
    ['pricing', 'pricing'],
  ]);
  expect(types.flatMap(([, type]) => type ?? [])).toEqual([...ENTITY_TYPES]);
});
