/** Rows and nights in a few words, for the tests of the oracle itself. */
import { entityId } from './canonical.ts';
import { oracleNight } from './night-oracle.ts';
import type { OracleDay, OracleNight } from './state.ts';

export type Row = Readonly<Record<string, unknown>>;

export const OLD = '2025-12-01T08:00:00Z';
export const model = (id: unknown, more: Row = {}): Row => ({ id, name: `Model ${id}`, updated_at: OLD, ...more });
export const benchmark = (id: string, more: Row = {}): Row => ({
  id,
  name: `Benchmark ${id}`,
  model_count: 1,
  updated_at: OLD,
  ...more,
});
export const score = (model_id: string, benchmark_id: unknown, value: unknown, more: Row = {}): Row => ({
  model_id,
  benchmark_id,
  value,
  updated_at: OLD,
  ...more,
});
export const ranking = (model_id: string, category: string, rank: unknown): Row => ({
  model_id,
  category,
  rank,
  updated_at: OLD,
});
export const price = (model_id: string, input: unknown, output: unknown, more: Row = {}): Row => ({
  model_id,
  provider: 'p',
  input_per_million: input,
  output_per_million: output,
  updated_at: OLD,
  ...more,
});

/** Day `n` of January 2026. */
export function night(
  previous: OracleNight | undefined,
  n: number,
  rows: OracleDay['rows'],
  more: Partial<OracleDay> = {},
) {
  const day = `2026-01-${String(n).padStart(2, '0')}`;
  return oracleNight(previous?.state, { day, capturedAt: `${day}T23:59:59Z`, rows, ...more });
}

export const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
export const feed = ({ events }: OracleNight): string[] =>
  events.map((e) => `${e.seq} ${e.op} ${e.entity_type} ${e.entity_id}`);
export const intervals = ({ closed }: OracleNight): string[] =>
  closed.map((c) => `${c.dataset} ${entityId(c.key)} ${c.validFrom}..${c.validTo}`);
export const openSince = (
  result: OracleNight,
  dataset: 'models' | 'scores' | 'pricing',
  id: string,
): string | null | undefined => result.state.records[dataset].get(id)?.validFrom;
