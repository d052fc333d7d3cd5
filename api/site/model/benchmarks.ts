import { benchmarksRoute } from '../../data/routes/current/benchmarks.ts';
import type { AskPublic } from '../ask.ts';

export interface Benchmark {
  readonly id: string;
  readonly name: string;
  readonly model_count: number;
}

/** As many as the API lists at once. */
const PAGE = '200';

/** All benchmarks, those first in which most models have a score: they are known best, and compare with most. */
export async function askBenchmarks(ask: AskPublic): Promise<readonly Benchmark[]> {
  const found: Benchmark[] = [];
  let cursor: string | undefined;
  do {
    const page: BenchmarksPage = await ask<BenchmarksPage>(benchmarksRoute, { query: { limit: PAGE, cursor } });
    found.push(...page.benchmarks);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found.toSorted((a, b) => b.model_count - a.model_count); // Which leaves equal ones by id, as they come.
}

interface BenchmarksPage {
  readonly benchmarks: readonly Benchmark[];
  readonly next_cursor: string | null;
}
