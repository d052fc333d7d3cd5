/** Ids that are answered for: those of current records, and all that were ever captured. */
import { keyText } from '../../../night-oracle/canonical.ts';
import type { World } from '../../world.ts';

/** Current, or ever captured. */
export function isKnownModel({ series, current }: World, model: string): boolean {
  return series.models.has(keyText([model])) || current.models.some(({ id }) => id === model);
}

export function isKnownBenchmark({ series, current }: World, benchmark: string): boolean {
  return (
    series.benchmarks.has(keyText([benchmark])) ||
    current.benchmarks.some(({ id }) => id === benchmark) ||
    current.scores.some(({ benchmark_id }) => benchmark_id === benchmark) ||
    [...series.scores.values()].some(({ key }) => key[1] === benchmark)
  );
}

export function isKnownCategory({ series, current }: World, id: string): boolean {
  return (
    current.rankings.some(({ category }) => category === id) ||
    [...series.rankings.values()].some(({ key }) => key[1] === id)
  );
}

export function isKnownProvider({ series }: World, provider: string): boolean {
  return [...series.pricing.values()].some(({ key }) => key[1] === provider);
}
