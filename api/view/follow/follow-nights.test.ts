import { afterEach, beforeEach, expect, test } from 'vitest';
import { dumpView } from '../../../test/support/api/dump-view.ts';
import { useViews } from '../../../test/support/api/use-views.ts';
import { withNames } from '../../../test/support/pipeline/named-models.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';

let series: TemporaryStore;
const { getCatalog, build, buildBoth } = useViews(() => series);

beforeEach(async () => {
  series = await openTemporaryStore();
});
afterEach(() => series?.dispose());

test('a view that is extended by nights with lost rows, lost datasets and records that go and come back has the tables of one built from nothing', async () => {
  const nights = Object.entries(SMALL_DAYS);
  for (const [day, rows] of nights.splice(0, 2)) await series.publish(day, rows);
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

test('names and best ranks follow nights that change one of rankings, names and models', async () => {
  const model = (id: string, inference: readonly string[] = ['p']) => ({ id, name: id.toUpperCase(), inference });
  const ranked = (model_id: string, rank: number, category = 'text') => ({ model_id, category, rank });
  const [models, fewer] = [
    [model('a'), model('b'), model('c')],
    [model('a', ['p', 'q']), model('c')],
  ];
  const [names, others] = [withNames('shop,an a,a'), withNames('shop,a b,a', 'board,see,c')];
  const nights = [
    { rows: { models, rankings: [ranked('a', 2), ranked('b', 1)] }, called: names, best: [2, 1, null] },
    { rows: { models, rankings: [ranked('a', 1), ranked('c', 2)] }, called: names, best: [1, null, 2] },
    { rows: { models, rankings: [ranked('a', 1), ranked('c', 2)] }, called: others, best: [1, null, 2] },
    { rows: { models: fewer, rankings: [ranked('a', 1), ranked('c', 2)] }, called: others, best: [1, 2] },
    {
      rows: { models, rankings: [ranked('a', 3, 'code'), ranked('b', 5), ranked('c', 9, 'code')] },
      called: names,
      best: [3, 5, 9],
    },
  ];
  let view: Awaited<ReturnType<typeof build>> | undefined;
  for (const [at, { rows, called, best }] of nights.entries()) {
    await series.publish(`2026-06-0${at + 1}`, rows, called);
    view = at < 2 ? await build(await getCatalog(), view) : await buildBoth(view);
    const named = dumpView(view.path)['model_names'] ?? [];
    expect(named.map((row) => JSON.parse(row).best_rank)).toEqual(best);
  }
});
