/** `/v1/models/{id}`, `/v1/updates`, `/v1/categories` and `/v1/sources` (specification "Models"; "Updates"). */
import { addDays } from '../../../runtime/day.ts';
import { keyText } from '../../night-oracle/canonical.ts';
import { pickModel, pickSome } from '../asking/asking.ts';
import { type ApiState, type Expected, notFound } from '../expected.ts';
import { compareText } from '../order.ts';
import { numberOf } from '../reading.ts';
import type { Asked, Asking } from '../route.ts';
import { firstNight, type WireRecord, type World } from '../world.ts';

/** A current model with all that is known of it. */
export function modelResponse({ world }: ApiState, { params }: Asked): Expected {
  const model = world.current.models.find(({ id }) => id === params['id']);
  if (model === undefined) return notFound('id');
  const ofModel = (records: readonly WireRecord[]) => records.filter(({ model_id }) => model_id === params['id']);
  const { scores, rankings, pricing } = world.current;
  return {
    kind: 'body',
    body: {
      ...model,
      scores: ofModel(scores),
      rankings: ofModel(rankings),
      pricing: ofModel(pricing),
      aliases: namesOf(world, params['id']),
    },
  };
}

function namesOf({ aliases }: World, model: string | undefined) {
  const names = aliases.filter(({ model_id }) => model_id === model).map(({ upstream, id }) => ({ upstream, id }));
  return names.sort((a, b) => compareText(a.upstream, b.upstream) || compareText(a.id, b.id));
}

/** Current models that no night before the window had seen; what the very first night found was not added then. */
export function updatesResponse({ world, today }: ApiState, { query }: Asked): Expected {
  const days = numberOf(query, 'days') ?? 7;
  const limit = numberOf(query, 'limit') ?? 50;

  const added = world.current.models.flatMap((record) => {
    const day = firstSeen(world, record);
    return day > firstNight(world).day && day >= addDays(today, -days) ? [{ record, day }] : [];
  });
  added.sort((a, b) => compareText(b.day, a.day) || compareText(String(a.record['id']), String(b.record['id'])));
  const rows = added.map(({ record, day }) => ({ ...record, added_at: dataAsOf(world, day) ?? null }));
  return { kind: 'list', name: 'models', rows, limit, envelope: { days, total: rows.length } };
}

export function categoriesResponse({ world }: ApiState): Expected {
  const counts = new Map<string, number>();
  for (const { category } of world.current.rankings) {
    counts.set(String(category), (counts.get(String(category)) ?? 0) + 1);
  }
  const ids = [...counts.keys()].sort(compareText);
  return { kind: 'body', body: { categories: ids.map((id) => ({ id, model_count: counts.get(id) })) } };
}

/** None of the days is fetched. */
const NEVER_FETCHED = { fetched_at: null, checked_at: null, failed_since: null, files: 0 };
const NOT_SAID = { license: null, terms_url: null, attribution: null, redistribution: false };

export function sourcesResponse({ world }: ApiState): Expected {
  const sources = world.upstreams.map(({ checked = null, ...said }) => ({
    ...NOT_SAID,
    ...said,
    terms_checked: checked,
    ...NEVER_FETCHED,
  }));
  return { kind: 'body', body: { sources: sources.sort((a, b) => compareText(a.id, b.id)) } };
}

function firstSeen({ series }: World, model: WireRecord): string {
  return series.models.get(keyText([String(model['id'])]))?.days[0] ?? '';
}

function dataAsOf({ nights }: World, day: string): string | undefined {
  return nights.find((night) => night.day === day)?.dataAsOf;
}

export function askNothing(): Asked {
  return { params: {}, query: {} };
}

export function askModel(asking: Asking): Asked {
  return { params: { id: pickModel(asking) }, query: {}, isBare: asking.choose.chance(0.2) };
}

export function askUpdates(asking: Asking): Asked {
  const { choose } = asking;
  const query = pickSome(asking, {
    days: [0.8, () => String(choose.integer(1, 30))],
    limit: [0.5, () => String(choose.pick([1, 2, 10, 50, 199, 200]))],
  });
  return { params: {}, query };
}
