import { z } from 'zod';
import { DATASETS, type DatasetName } from '../schemas/datasets.ts';
import { recordSchema } from '../schemas/records.ts';

/** A record in an answer: as in the snapshots; keys may be added by a minor version (SPEC "Versioning"). */
function record(dataset: DatasetName, name: string) {
  return z
    .looseObject(recordSchema(dataset).shape)
    .meta({ id: name, description: `One record per ${DATASETS[dataset].grain}` });
}

export const ModelSchema = record('models', 'Model');
export const BenchmarkSchema = record('benchmarks', 'Benchmark');
export const ScoreSchema = record('scores', 'Score');
export const RankingSchema = record('rankings', 'Ranking');
export const PriceSchema = record('pricing', 'Price');

/** `total` and `next_cursor` of a list. */
export const LIST_FIELDS = {
  total: z.int().min(0).describe('Records that meet the filters, on all pages'),
  next_cursor: z.string().nullable().describe('For the next page; null on the last one'),
};
