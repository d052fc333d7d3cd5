import type { RecordOf } from '../../../schemas/datasets.ts';
import type { BodyOf } from '../../data/answers/data-route.ts';
import { benchmarksRoute } from '../../data/routes/current/benchmarks.ts';
import type { AskPublic } from '../public-route.ts';

export type Benchmark = Pick<RecordOf<'benchmarks'>, 'id' | 'name' | 'model_count'>;

/** As many as the API lists at once. */
const PAGE = '200';

/** All benchmarks, those first in which most models have a score: they are known best, and compare with most. */
export async function askBenchmarks(ask: AskPublic): Promise<readonly Benchmark[]> {
  const found: Benchmark[] = [];
  let cursor: string | undefined;
  do {
    const page: BodyOf<typeof benchmarksRoute> = await ask(benchmarksRoute, { query: { limit: PAGE, cursor } });
    found.push(...page.benchmarks);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found.toSorted((a, b) => b.model_count - a.model_count); // Which leaves equal ones by id, as they come.
}
