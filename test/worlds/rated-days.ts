/**
 * Five days around the version of the records with rates of prices, the life of models, and how scores were measured (1.2): the first,
 * the last in 1.1, the cutover, a quiet day, and one on which only fields of 1.2 change. Their source has those fields on all of them.
 */
import { join } from 'node:path';
import { addDays, type Day } from '../../runtime/day.ts';
import { RECORD_VERSIONS, versionInForce } from '../../schemas/record-versions.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { type DayRows, writeDay } from '../support/pipeline/write-day.ts';

export const CUTOVER: Day = RECORD_VERSIONS.find(({ version }) => version === '1.2')?.inForceFrom ?? '';
export const FIRST = addDays(CUTOVER, -2);
export const LAST = addDays(CUTOVER, -1);
export const QUIET = addDays(CUTOVER, 1);
export const MOVED = addDays(CUTOVER, 2);
export const DAYS: readonly Day[] = [FIRST, LAST, CUTOVER, QUIET, MOVED];

/** Each of these days but the last, with the version in force and the day after it. */
export function nextDays(
  days: readonly Day[],
): readonly { readonly day: Day; readonly version: string; readonly next: Day }[] {
  return days.slice(1).map((next, at) => {
    const day = days[at] ?? '';
    return { day, version: versionInForce(RECORD_VERSIONS, day).version, next };
  });
}

/** The columns of 1.2, by dataset. */
export const ADDED = {
  models: [
    ...['status', 'deprecated_on', 'retires_on', 'replaced_by', 'max_output_tokens', 'knowledge_cutoff'],
    ...['open_weights', 'modalities', 'capabilities'],
  ],
  scores: ['stderr', 'variant', 'reported_by', 'source_url', 'n'],
  pricing: ['rates'],
} as const;

/**
 * On the last day in 1.1 the rates of `same` change, which nobody stores yet, and the sample size of the score of `counted`, which is
 * stored. On the cutover the price of `moved` and the name of `named` change, `gone` goes, `new` comes, and benchmarks are not captured.
 * `plain` has no field of 1.2 at all. On the day that moves, of `same` the rates, the status and the error of the score change.
 */
export async function publishRatedDays(store: TemporaryStore, days: readonly Day[] = DAYS): Promise<void> {
  for (const day of days) {
    const folder = join(store.folder, '..', 'rated', day);
    await writeDay(folder, rowsOf(day));
    const { status } = await store.night(folder, day, { accept: true });
    if (status !== 'published') throw new Error(`${day} is ${status}`);
  }
}

function rowsOf(day: Day): DayRows {
  const ids = ['counted', 'moved', 'named', 'plain', 'same', day >= CUTOVER ? 'new' : 'gone'];
  return {
    models: ids.map((id) => model(id, day)),
    ...(day === CUTOVER ? {} : { benchmarks: [{ id: 'x', name: 'X' }] }),
    scores: ids.map((id) => score(id, day)),
    rankings: [{ model_id: 'same', category: 'general', rank: 1 }],
    pricing: ids.map((id) => price(id, day)),
  };
}

function model(id: string, day: Day): object {
  const name = id === 'named' && day >= CUTOVER ? 'Other' : id;
  if (id === 'plain') return { id, name };
  return {
    id,
    name,
    status: id === 'same' && day === MOVED ? 'deprecated' : 'active',
    deprecated_on: '2027-03-01',
    retires_on: '2028-03-01',
    replaced_by: 'not-listed',
    max_output_tokens: 64_000,
    knowledge_cutoff: '2026-06',
    open_weights: false,
    modalities: { output: ['text'], input: ['text', 'image'] },
    capabilities: ['tools', 'reasoning'],
  };
}

function score(id: string, day: Day): object {
  const record = { model_id: id, benchmark_id: 'x', value: 1 };
  if (id === 'plain') return record;
  return {
    ...record,
    n: id === 'counted' && day > FIRST ? 200 : 100,
    stderr: id === 'same' && day === MOVED ? 0.25 : 0.5,
    variant: 'high',
    reported_by: 'evaluator',
    source_url: 'https://example.test/x?run=1#a',
  };
}

function price(id: string, day: Day): object {
  const input = id === 'moved' && day >= CUTOVER ? 3 : 1;
  const record = { model_id: id, provider: 'p', input_per_million: input, output_per_million: 2 };
  if (id === 'plain') return record;
  const moves = id === 'same' ? [[LAST, 0.4] as const, [MOVED, 0.2] as const] : [];
  const cached = new Map(moves).get(day) ?? 0.1;
  const tokens = { unit: 'token', per: 1_000_000 };
  return {
    ...record,
    rates: [
      { ...tokens, meter: 'output', price: 2 },
      { ...tokens, meter: 'input', price: input * 2, when: { context_min: 200_000, applies: 'request' } },
      { ...tokens, meter: 'input', price: input },
      { ...tokens, meter: 'cache_read', price: cached },
      { meter: 'search', unit: 'request', per: 1000, price: 10, when: null },
    ],
  };
}

/** As published. */
export function ratesOf(input: number, cached: number): readonly object[] {
  const tokens = { unit: 'token', per: 1_000_000 };
  return [
    { meter: 'cache_read', ...tokens, price: cached },
    { meter: 'input', ...tokens, price: input },
    { meter: 'input', ...tokens, price: input * 2, when: { context_min: 200_000, applies: 'request' } },
    { meter: 'output', ...tokens, price: 2 },
    { meter: 'search', unit: 'request', per: 1000, price: 10 },
  ];
}
