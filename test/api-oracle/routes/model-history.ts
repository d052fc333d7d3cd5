/** `/v1/models/{model_id}/history` (specification "History requests"; "History points"). */

import type { Day } from '../../../runtime/day.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import { keyText } from '../../night-oracle/canonical.ts';
import type { Values } from '../../night-oracle/row-rules.ts';
import { pickId, pickModel, pickSome } from '../asking/asking.ts';
import { pickRange, turnsOf } from '../asking/ranges.ts';
import { type ApiState, type Expected, notFound } from '../expected.ts';
import { compareText } from '../order.ts';
import {
  type CapturedPoint,
  collectPoints,
  countPositions,
  isKnownCategory,
  isKnownModel,
  isKnownProvider,
  oneOf,
  rankingPayload,
  readRange,
  windowFrom,
} from '../reading.ts';
import type { Asked, Asking, Parameters } from '../route.ts';
import type { Series, World } from '../world.ts';

const HISTORY_KINDS = ['score', 'ranking', 'pricing', 'metadata'] as const;
type HistoryKind = (typeof HISTORY_KINDS)[number];

/** The size of a category on each day. */
type PositionsOf = (category: string) => ReadonlyMap<Day, number>;

interface Kind {
  readonly dataset: DatasetName;
  /** The parameter that narrows this kind to one series, and whether the world must know its value. */
  readonly narrowedBy?: string;
  readonly isKnown?: (world: World, value: string) => boolean;
  /** The part of a point that differs from kind to kind. */
  readonly point: (values: Values, day: Day, positionsOf: PositionsOf) => object;
}

const PRICE_FIELDS = ['provider', 'input_per_million', 'output_per_million', 'currency', 'effective_from'];
const MODEL_FIELDS = ['name', 'organization', 'release_date', 'context_length', 'inference'];

const KINDS: Readonly<Record<HistoryKind, Kind>> = {
  score: {
    dataset: 'scores',
    narrowedBy: 'benchmark_id',
    isKnown: isKnownBenchmark,
    point: (values) => ({
      value: values['value'],
      benchmark_id: values['benchmark_id'],
      payload: pick(values, ['n', 'source', 'measured_at']),
    }),
  },
  ranking: {
    dataset: 'rankings',
    narrowedBy: 'category_id',
    isKnown: isKnownCategory,
    point: (values, day, positionsOf) => ({
      value: values['rank'],
      category_id: values['category'],
      payload: rankingPayload(values, positionsOf(String(values['category'])).get(day)),
    }),
  },
  pricing: {
    dataset: 'pricing',
    narrowedBy: 'provider',
    isKnown: isKnownProvider,
    point: (values) => ({
      value: values['input_per_million'] ?? null,
      payload: pick(values, PRICE_FIELDS),
    }),
  },
  metadata: {
    dataset: 'models',
    point: (values) => ({
      payload: pick(values, MODEL_FIELDS),
    }),
  },
};

export function modelHistoryResponse({ world, today }: ApiState, { params, query }: Asked): Expected {
  const name = oneOf(query['kind'], HISTORY_KINDS) ?? 'score';
  const range = readRange(query, today);

  const model = params['model_id'] ?? '';
  const kind = KINDS[name];
  const only = kind.narrowedBy === undefined ? undefined : query[kind.narrowedBy];
  if (!isKnownModel(world, model)) return notFound('model_id');
  if (only !== undefined && kind.isKnown?.(world, only) === false) return notFound(kind.narrowedBy ?? null);

  const points = collectPoints(
    world,
    kind.dataset,
    range,
    ([id, series]) => id === model && (only === undefined || series === only),
  );
  const positionsOf = rememberPositions(world);
  points.sort((a, b) => compareText(a.day, b.day) || compareText(seriesOf(kind, a), seriesOf(kind, b)));
  return {
    kind: 'body',
    body: {
      model_id: model,
      kind: name,
      points: points.map((point) => wirePoint(kind, point, positionsOf)),
      window: windowFrom(range, world, kind.dataset),
    },
  };
}

function wirePoint({ point }: Kind, { day, values }: CapturedPoint, positionsOf: PositionsOf): object {
  const blank = { date: day, value: null, benchmark_id: null, category_id: null, payload: {}, source: 'capture' };
  return { ...blank, ...point(values, day, positionsOf) };
}

/** Counts each category of one answer once. */
function rememberPositions(world: World): PositionsOf {
  const counted = new Map<string, ReadonlyMap<Day, number>>();
  return (category) => {
    const positions = counted.get(category) ?? countPositions(world, category);
    counted.set(category, positions);
    return positions;
  };
}

function isKnownBenchmark({ series, current }: World, benchmark: string): boolean {
  return (
    series.benchmarks.has(keyText([benchmark])) ||
    current.benchmarks.some(({ id }) => id === benchmark) ||
    current.scores.some(({ benchmark_id }) => benchmark_id === benchmark) ||
    [...series.scores.values()].some(({ key }) => key[1] === benchmark)
  );
}

/** What orders the points of one day: benchmark, category or provider. */
function seriesOf({ dataset }: Kind, { values }: CapturedPoint): string {
  const column = { scores: 'benchmark_id', rankings: 'category', pricing: 'provider', models: 'id', benchmarks: 'id' };
  return String(values[column[dataset]]);
}

function pick(values: Values, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

export function askModelHistory(asking: Asking): Asked {
  const { choose, state } = asking;
  const model_id = pickModel(asking);
  const ownSeries = (name: HistoryKind) =>
    [...state.world.series[KINDS[name].dataset].values()].filter(({ key }) => key[0] === model_id);
  const kinds = HISTORY_KINDS.filter((name) => ownSeries(name).length > 0);
  const kind = choose.pick(kinds.length === 0 || choose.chance(0.15) ? HISTORY_KINDS : kinds);
  const series = ownSeries(kind);
  const query = { kind, ...pickRange(asking, turnsOf(asking, series)), ...pickNarrowed(asking, kind, series) };
  return { params: { model_id }, query, isBare: choose.chance(0.2) };
}

/** Narrowed mostly to one of the model's own series; now and then with the parameter of another kind, which is ignored. */
function pickNarrowed(asking: Asking, kind: HistoryKind, series: readonly Series[]): Parameters {
  const { choose, interests } = asking;
  const own = series.map(({ key }) => key[1] ?? '');
  const all = { benchmark_id: interests.benchmarks, category_id: interests.categories, provider: interests.providers };
  const narrowing = (name: keyof typeof all) => {
    const isOwn = KINDS[kind].narrowedBy === name;
    return [isOwn ? 0.45 : 0.1, () => pickId(asking, isOwn && choose.chance(0.8) ? own : all[name])] as const;
  };
  return pickSome(asking, {
    benchmark_id: narrowing('benchmark_id'),
    category_id: narrowing('category_id'),
    provider: narrowing('provider'),
  });
}
