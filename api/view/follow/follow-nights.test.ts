import { afterAll, beforeAll, test } from 'vitest';
import { useViews } from '../../../test/support/api/use-views.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';

let series: TemporaryStore;
const { getCatalog, build, buildBoth } = useViews(() => series);

beforeAll(async () => {
  series = await openTemporaryStore();
});
afterAll(() => series?.dispose());

test('a view that is extended by nights with lost rows, lost datasets and records that go and come back has the tables of one built from nothing', async () => {
  const [[firstDay = '', firstRows = {}] = [], ...nights] = Object.entries(SMALL_DAYS);
  await series.publish(firstDay, firstRows);
  let view = await build(await getCatalog(), undefined);
  for (const [day, rows] of nights) {
    await series.publish(day, rows);
    view = await buildBoth(view);
  }
  // Ids that come and go without an interval, of every kind.
  const last = SMALL_DAYS['2026-06-07'] ?? {};
  const updated = { updated_at: '2026-06-07T00:00:00Z' };
  await series.publish('2026-06-08', {
    ...last,
    benchmarks: [...(last.benchmarks ?? []), { id: 'brief', name: 'brief', category: 'c', ...updated }],
    scores: [
      ...(last.scores ?? []),
      { model_id: 'a', benchmark_id: 'brief', value: 1, source: 'rare', n: 1, ...updated },
      { model_id: 'case', benchmark_id: 'brief', value: 'none', source: 'rarer', n: 1, ...updated },
    ],
    pricing: [
      ...(last.pricing ?? []),
      { model_id: 'case', provider: 'p0', input_per_million: 'none', output_per_million: 1, ...updated },
    ],
  });
  view = await buildBoth(view);
  await series.publish('2026-06-09', last);
  await buildBoth(view);
});
