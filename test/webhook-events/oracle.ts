/**
 * What a night has to tell, read again from what was published (specification "From changes to events"): both snapshots as JSON Lines,
 * compared record by record in plain TypeScript; the feed only gives the numbers. Slow and simple, and nothing of the product's SQL.
 */

import { expect } from 'vitest';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import type { EndpointMode } from '../../api/webhooks/endpoints/endpoint.ts';
import type { Filters } from '../../api/webhooks/endpoints/filters.ts';
import { DIGEST_ITEMS_MAX, TOPIC_DEFINITIONS, TOPICS, type Topic } from '../../api/webhooks/topics/topics.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { type Change, ChangeSchema, entityIdFromKey } from '../../schemas/change.ts';
import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { METERS, type Rate } from '../../schemas/rates.ts';
import { listReleases, readChanges, readRelease, readSnapshot } from '../support/pipeline/published.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { passesNames } from '../support/webhooks/passes-names.ts';
import { addSubscriber, readTold, type Told } from '../support/webhooks/subscribers.ts';

type Row = Readonly<Record<string, unknown>>;
type Rows = ReadonlyMap<string, Row>;

/** An event that should be told, with the records that it is about. */
export interface Expected {
  readonly topic: Topic;
  readonly data: Row;
  /** The records before and after; of a ranking those of every model with another rank. */
  readonly records: readonly { readonly before: Row | undefined; readonly after: Row | undefined }[];
}

/** Everything that a release has to tell, by topic. */
export async function expectedOf(
  store: TemporaryStore,
  entry: CatalogEntry,
  before: CatalogEntry,
): Promise<readonly Expected[]> {
  const changes = (await readChanges(store, entry)).split('\n').filter((line) => line !== '');
  const seqs = new Map(changes.map((line) => seqEntry(ChangeSchema.parse(JSON.parse(line)))));
  const pairs = async (dataset: DatasetName) => {
    const [old, now] = [await readRows(store, before, dataset), await readRows(store, entry, dataset)];
    const seqOf = (id: string) => seqs.get(`${DATASETS[dataset].entityType} ${id}`) ?? Number.NaN;
    return [...new Set([...old.keys(), ...now.keys()])]
      .map((id) => ({ before: old.get(id), after: now.get(id), seq: seqOf(id) }))
      .filter((pair) => JSON.stringify(pair.before) !== JSON.stringify(pair.after));
  };
  return [
    ...(await pairs('models')).flatMap((pair) => [...createdBy(pair), ...updatedBy(pair)]),
    ...(await pairs('scores')).flatMap((pair) => scoreBy(pair)),
    ...(await pairs('pricing')).flatMap((pair) => priceBy(pair)),
    ...rankingsBy(await pairs('rankings')),
    await snapshotOf(store, entry),
  ];
}

interface Pair {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  readonly seq: number;
}

function createdBy(pair: Pair): readonly Expected[] {
  if (pair.before !== undefined) return [];
  return [{ topic: 'model.created', data: { model_id: pair.after?.['id'], seq: pair.seq }, records: [pair] }];
}

const MODEL_FIELDS = ['name', 'status', 'deprecated_on', 'retires_on', 'replaced_by'];

function updatedBy(pair: Pair): readonly Expected[] {
  const { before, after, seq } = pair;
  if (before === undefined || after === undefined) return [];
  const changed = MODEL_FIELDS.filter((field) => before[field] !== after[field]).map((field) => {
    return { field, from: before[field] ?? null, to: after[field] ?? null };
  });
  if (changed.length === 0) return [];
  return [{ topic: 'model.updated', data: { model_id: after['id'], changed, seq }, records: [pair] }];
}

function scoreBy(pair: Pair): readonly Expected[] {
  if (pair.after === undefined) return [];
  const { model_id, benchmark_id } = pair.after;
  return [{ topic: 'score.updated', data: { model_id, benchmark_id, seq: pair.seq }, records: [pair] }];
}

function priceBy(pair: Pair): readonly Expected[] {
  const { before, after, seq } = pair;
  const { model_id, provider } = after ?? before ?? {};
  const event = (change: string, more: Row = {}): readonly Expected[] => [
    { topic: 'pricing.updated', data: { model_id, provider, change, ...more, seq }, records: [pair] },
  ];
  if (after === undefined) return event('provider_removed');
  if (before === undefined) return event('provider_added');
  const moves = ratesMoved(pair);
  const [from, to] = [before['currency'], after['currency']];
  if (moves.length === 0 && from === to) return [];
  const rates = moves
    .slice(0, 20)
    .map((move) => ({ ...move.rate, from: move.from, to: move.to, change_percent: percentOf(move) }));
  return event('price', { rates, rates_changed: moves.length, ...(from === to ? {} : { currency: { from, to } }) });
}

interface RateMoved {
  /** Meter, unit, how many of them, and condition. */
  readonly rate: Row;
  readonly from: number | null;
  readonly to: number | null;
  readonly isSameCurrency: boolean;
}

/** Each rate with another price than before; of a new currency every rate. */
function ratesMoved({ before, after }: Pick<Pair, 'before' | 'after'>): readonly RateMoved[] {
  const [old, now] = [pricesOf(before), pricesOf(after)];
  const isSameCurrency = before === undefined || after === undefined || before['currency'] === after['currency'];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ rate: JSON.parse(key), from: old.get(key) ?? null, to: now.get(key) ?? null, isSameCurrency }))
    .filter(({ from, to }) => from !== to || !isSameCurrency)
    .sort((a, b) => METERS.indexOf(a.rate.meter) - METERS.indexOf(b.rate.meter));
}

/** By meter, unit and condition as text. */
function pricesOf(record: Row = {}): ReadonlyMap<string, number> {
  const prices = new Map<string, number>();
  for (const meter of ['input', 'output']) {
    const value = record[`${meter}_per_million`];
    if (typeof value === 'number') prices.set(JSON.stringify({ meter, unit: 'token', per: 1e6 }), value);
  }
  for (const { price, per, unit, ...rate } of (record['rates'] ?? []) as Rate[]) {
    if ((rate.meter === 'input' || rate.meter === 'output') && unit === 'token' && rate.when === undefined) continue;
    const units = unit === 'token' ? 1e6 : 1;
    const { meter, when } = rate;
    prices.set(JSON.stringify({ meter, unit, per: units, when }), Number(((price * units) / per).toPrecision(12)));
  }
  return prices;
}

function percentOf({ from, to, isSameCurrency }: RateMoved): number | null {
  if (from === null || to === null || from === 0 || !isSameCurrency) return null;
  return Number(((100 * (to - from)) / from).toPrecision(12));
}

function rankingsBy(pairs: readonly Pair[]): readonly Expected[] {
  const moved = pairs.filter(({ before, after }) => before?.['rank'] !== after?.['rank']);
  const categories = Map.groupBy(moved, ({ before, after }) => (after ?? before)?.['category']);
  return [...categories].map(([category_id, records]) => {
    const seqs = records.map(({ seq }) => seq);
    const data = { category_id, changed: records.length, first_seq: Math.min(...seqs), seq: Math.max(...seqs) };
    return { topic: 'ranking.updated', data, records };
  });
}

async function snapshotOf(store: TemporaryStore, entry: CatalogEntry): Promise<Expected> {
  const { manifest } = await readRelease(store, entry);
  const { id: snapshot_id, data_as_of, schema_version, change_cursor } = manifest;
  const data = { snapshot_id, data_as_of, schema_version, change_cursor, seq: entry.last_seq };
  return { topic: 'snapshot.published', data, records: [] };
}

/** Whether filters let an event pass, each read by itself as the specification words it. */
function passes(filters: Filters, { topic, data, records }: Expected): boolean {
  const isRanking = topic === 'ranking.updated';
  return (
    passesNames(filters, data) &&
    (!isRanking || isOfModels(filters.models, records)) &&
    (data['change'] !== 'price' || isLargeChange(filters.min_price_change_percent, records[0])) &&
    (!isRanking || (isHigh(filters.max_rank, records) && isDirected(filters, records))) &&
    (topic !== 'pricing.updated' || isRateWanted(filters, records[0]))
  );
}

function isOfModels(ids: readonly string[] | undefined, records: Expected['records']): boolean {
  return (
    ids === undefined || records.some(({ before, after }) => ids.includes(String((after ?? before)?.['model_id'])))
  );
}

function isLargeChange(percent: number | undefined, pair: Expected['records'][number] | undefined): boolean {
  const [before, after] = [pair?.before ?? {}, pair?.after ?? {}];
  if (percent === undefined || before['currency'] !== after['currency']) return true;
  return ['input_per_million', 'output_per_million'].some((name) => {
    const [old, now] = [before[name], after[name]];
    if (old === now) return false;
    if (typeof old !== 'number' || typeof now !== 'number' || old === 0) return true;
    return Math.abs(now - old) * 100 >= percent * old * (1 - 1e-12);
  });
}

function isRateWanted(
  { meters, direction, min_change_percent: percent }: Filters,
  pair: Expected['records'][number] | undefined,
): boolean {
  if (pair === undefined || (meters === undefined && direction === undefined && percent === undefined)) return true;
  return ratesMoved(pair).some(({ rate, from, to, isSameCurrency }) => {
    const isComparable = from !== null && to !== null && isSameCurrency;
    const isMeter = meters?.some((meter) => meter === rate['meter']) ?? true;
    const isUp = direction === 'up' && isComparable && to > from;
    const isDown = direction === 'down' && isComparable && to < from;
    const isFar = isComparable && (from === 0 || Math.abs(to - from) * 100 >= (percent ?? 0) * from * (1 - 1e-12));
    return isMeter && (direction === undefined || isUp || isDown) && (percent === undefined || isFar);
  });
}

/** Whether one model of those that are named rose or fell, within the positions that are wanted. */
function isDirected({ direction, models, max_rank: maxRank }: Filters, records: Expected['records']): boolean {
  if (direction === undefined) return true;
  return records.some(({ before, after }) => {
    if (before === undefined || after === undefined) return false;
    const [old, now] = [Number(before['rank']), Number(after['rank'])];
    const isNamed = models === undefined || models.includes(String(after['model_id']));
    const isHighEnough = maxRank === undefined || old <= maxRank || now <= maxRank;
    return isNamed && isHighEnough && (direction === 'up' ? now < old : now > old);
  });
}

function isHigh(maxRank: number | undefined, records: Expected['records']): boolean {
  if (maxRank === undefined) return true;
  return records.some(({ before, after }) =>
    [before, after].some((record) => record !== undefined && Number(record['rank']) <= maxRank),
  );
}

async function readRows(store: TemporaryStore, entry: CatalogEntry, dataset: DatasetName): Promise<Rows> {
  const lines = (await readSnapshot(store, entry, dataset)).split('\n').filter((line) => line !== '');
  const { key } = DATASETS[dataset];
  return new Map(
    lines.map((line) => {
      const row = JSON.parse(line) as Row; // A canonical line.
      return [entityIdFromKey(key.map((part) => String(row[part]))), row];
    }),
  );
}

function seqEntry({ entity_type, entity_id, seq }: Change): [string, number] {
  return [`${entity_type} ${entity_id}`, seq];
}

/** An endpoint that listens to every topic. */
export interface Listener {
  readonly id: string;
  readonly filters: Filters;
  readonly mode: EndpointMode;
}

/** Adds listeners that are active since long ago. */
export async function addListeners(control: ControlDatabase, listeners: readonly Listener[]): Promise<void> {
  for (const { id, filters, mode } of listeners) await addSubscriber(control, id, { filters, mode });
}

/** Expects that each listener was told exactly what the published files say; resolves to the events per topic, unfiltered. */
export async function expectTold(
  store: TemporaryStore,
  control: ControlDatabase,
  listeners: readonly Listener[],
): Promise<Readonly<Record<string, number>>> {
  const nights: (readonly Expected[])[] = [];
  const releases = await listReleases(store);
  for (const [index, entry] of releases.entries()) {
    const before = releases[index - 1];
    if (before !== undefined) nights.push(await expectedOf(store, entry, before));
  }
  const told = await readTold(control);
  for (const { id, filters, mode } of listeners) {
    const passing = nights.map((night) => night.filter((event) => passes(filters, event)));
    const expected = passing.flatMap((night) => (mode === 'digest' ? digestsOf(night) : night.map(withoutRecords)));
    const found = told.filter(({ endpoint }) => endpoint === id).map(({ topic, data }) => ({ topic, data }));
    if (mode === 'each') for (const { topic, data } of found) assertDeclared(topic, data);
    expect(inOrder(found), `${id} ${JSON.stringify(filters)}`).toEqual(inOrder(expected));
  }
  const all = nights.flat();
  return Object.fromEntries(TOPICS.map((topic) => [topic, all.filter((event) => event.topic === topic).length]));
}

/** Throws where `data` is not what its topic declares. */
function assertDeclared(topic: string, data: unknown): void {
  const definition = TOPIC_DEFINITIONS.find(({ name }) => name === topic);
  if (definition === undefined) throw new Error(`no topic ${topic}`);
  definition.data.parse(data);
}

type Plain = Omit<Told, 'endpoint'>;

function withoutRecords({ topic, data }: Expected): Plain {
  return { topic, data };
}

/** One digest per topic of a night. */
function digestsOf(night: readonly Expected[]): readonly Plain[] {
  return [...Map.groupBy(night, ({ topic }) => topic)].map(([topic, events]) => {
    const items = events.map(({ data }) => data).sort((a, b) => Number(a['seq']) - Number(b['seq']));
    const first_seq = Math.min(...items.map((data) => Number(data['first_seq'] ?? data['seq'])));
    const seq = Number(items.at(-1)?.['seq']);
    return { topic, data: { first_seq, seq, count: items.length, items: items.slice(0, DIGEST_ITEMS_MAX) } };
  });
}

/** As texts with sorted keys, in an order of their own. */
function inOrder(events: readonly Plain[]): readonly string[] {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    );
  return events.map(text).sort();
}
