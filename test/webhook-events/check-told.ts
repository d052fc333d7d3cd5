import { expect } from 'vitest';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import type { EndpointMode } from '../../api/webhooks/endpoints/endpoint.ts';
import type { Filters } from '../../api/webhooks/endpoints/filters.ts';
import { DIGEST_ITEMS_MAX, TOPICS } from '../../api/webhooks/topics/topics.ts';
import { listReleases } from '../support/pipeline/published.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { addSubscriber, readTold, type Told } from '../support/webhooks/subscribers.ts';
import { type Expected, expectedOf, passes } from './oracle.ts';

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
    expect(inOrder(found), `${id} ${JSON.stringify(filters)}`).toEqual(inOrder(expected));
  }
  const all = nights.flat();
  return Object.fromEntries(TOPICS.map((topic) => [topic, all.filter((event) => event.topic === topic).length]));
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
