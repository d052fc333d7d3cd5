import type { ApiState } from '../expected.ts';
import type { Asking, Parameters } from '../route.ts';
import { valuesOf } from './interests.ts';

const FILTERED_COLUMNS = {
  models: ['id', 'name', 'organization', 'inference', 'context_length', 'release_date'],
  benchmarks: ['category'],
  scores: ['model_id', 'benchmark_id', 'source', 'value', 'measured_at'],
  pricing: ['model_id', 'provider', 'input_per_million', 'output_per_million'],
} as const;

export function gatherValues({ world }: ApiState): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  for (const [dataset, columns] of Object.entries(FILTERED_COLUMNS)) {
    const records = world.current[dataset as keyof typeof FILTERED_COLUMNS]; // a key of that table
    for (const column of columns) values.set(`${dataset}.${column}`, valuesOf(records, column));
  }
  values.set('aliases.id', [...new Set(world.aliases.map(({ id }) => id))]);
  return values;
}

/** A value that the column holds, now and then one that none does. */
export function pickValue({ choose, values }: Asking, column: string, unknown = 'unknown'): string {
  const held = values.get(column) ?? [];
  return held.length === 0 || choose.chance(0.05) ? unknown : choose.pick(held);
}

export function pickModel({ choose, interests }: Asking): string {
  return choose.pick(choose.pick(interests.modelGroups));
}

/** One of a list of ids, now and then an unknown one. */
export function pickId({ choose }: Asking, ids: readonly string[]): string {
  return ids.length === 0 || choose.chance(0.08) ? 'unknown:id' : choose.pick(ids);
}

/** Each parameter with its probability. */
export function pickSome(
  { choose }: Asking,
  makers: Readonly<Record<string, readonly [number, () => string]>>,
): Parameters {
  const chosen = Object.entries(makers).filter(([, [probability]]) => choose.chance(probability));
  return Object.fromEntries(chosen.map(([name, [, make]]) => [name, make()]));
}
