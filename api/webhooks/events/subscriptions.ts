import { isPostgres } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';
import { type EndpointMode, type EndpointState, endpointFromRow } from '../endpoints/endpoint.ts';
import { type Matcher, matcherFromFilters } from '../endpoints/filters.ts';
import {
  CHANGE_TOPICS,
  type ChangeTopic,
  DIGEST_ITEMS_MAX,
  TOPICS,
  type Topic,
  type TopicEvent,
} from '../topics/topics.ts';

/** What one endpoint is to be told of a release. */
export interface Subscription {
  readonly endpointId: string;
  readonly mode: EndpointMode;
  readonly topics: ReadonlySet<Topic>;
  /** Models that its filters name. */
  readonly models: readonly string[];
  readonly matches: Matcher;
}

/**
 * Who has subscribed to what was published at an instant: the endpoints that are told, because they are active and were then, and those
 * that miss it, which can be sent it when they ask (specification "From changes to events").
 */
export async function readSubscriptions(database: Database, publishedAt: Date): Promise<readonly Subscription[]> {
  const query = subscribedAt(database, publishedAt).selectAll().orderBy('id');
  const rows = await orUnavailable(() => query.execute());
  return rows.map(endpointFromRow).map(({ id, mode, topics, filters }) => ({
    endpointId: id,
    mode,
    topics: new Set(topics),
    models: filters.models ?? [],
    matches: matcherFromFilters(filters),
  }));
}

/** Whether an endpoint is told of what was published, or misses it. */
export type Listening = 'told' | 'misses';

/**
 * Those of the endpoints that are still subscribed, and whether each is told; on PostgreSQL none of them leaves its state before the
 * transaction has ended.
 */
export async function keepListening(
  transaction: Database,
  endpointIds: readonly string[],
  publishedAt: Date,
): Promise<ReadonlyMap<string, Listening>> {
  if (endpointIds.length === 0) return new Map();
  const query = subscribedAt(transaction, publishedAt)
    .select(['id', 'state', 'state_changed_at'])
    .where('id', 'in', endpointIds)
    .orderBy('id');
  const rows = await query.$if(isPostgres(transaction), (endpoints) => endpoints.forShare()).execute();
  const isTold = (row: (typeof rows)[number]) =>
    row.state === 'active' && row.state_changed_at <= publishedAt.getTime();
  return new Map(rows.map((row) => [row.id, isTold(row) ? 'told' : 'misses']));
}

/** Since when the first of the active endpoints is, in Unix milliseconds; null: there is none. */
export async function readFirstActive(database: Database): Promise<number | null> {
  const query = database
    .selectFrom('webhook_endpoints')
    .where('state', '=', 'active')
    .select(({ fn }) => fn.min('state_changed_at').as('since'));
  return (await orUnavailable(() => query.executeTakeFirstOrThrow())).since;
}

/** States in which an endpoint that is not active may become so by a ping. */
const SUBSCRIBED_STATES = ['registered', 'active', 'revoked'] as const satisfies readonly EndpointState[];

function subscribedAt(database: Database, publishedAt: Date) {
  return database
    .selectFrom('webhook_endpoints')
    .where('state', 'in', SUBSCRIBED_STATES)
    .where('created_at', '<=', publishedAt.getTime());
}

/** Finds who is to be told of an event. */
export type RecipientsOf = (event: TopicEvent) => readonly Subscription[];

/** {@link RecipientsOf} of these; made ready once, for there may be a million events. */
export function recipientsFrom(subscriptions: readonly Subscription[]): RecipientsOf {
  const byTopic = new Map(TOPICS.map((topic) => [topic, subscriptions.filter(({ topics }) => topics.has(topic))]));
  return (event) => (byTopic.get(event.topic) ?? []).filter(({ matches }) => matches(event));
}

/** The topics made from changes that any of these endpoints wants. */
export function changeTopicsOf(subscriptions: readonly Subscription[]): ReadonlySet<ChangeTopic> {
  return new Set(CHANGE_TOPICS.filter((topic) => subscriptions.some(({ topics }) => topics.has(topic))));
}

/** What one endpoint is told of one topic of one night, where it wants that at once. */
export interface Digest {
  readonly endpointId: string;
  readonly topic: Topic;
  readonly seq: number;
  /** JSON text. */
  readonly data: string;
}

interface Collected {
  readonly endpointId: string;
  readonly topic: Topic;
  firstSeq: number;
  seq: number;
  count: number;
  /** JSON texts, which endpoints share. */
  readonly items: string[];
}

/** Collects digests from a night's events, which come by `seq` (specification "Digests"). */
export class DigestCollector {
  readonly #recipients: RecipientsOf;
  readonly #collected = new Map<string, Collected>();

  /** @param subscriptions of the endpoints that want digests */
  constructor(subscriptions: readonly Subscription[]) {
    this.#recipients = recipientsFrom(subscriptions);
  }

  add(event: TopicEvent): void {
    const told = this.#recipients(event);
    if (told.length === 0) return;
    const item = JSON.stringify(event.data);
    for (const { endpointId } of told) this.#collect(endpointId, event, item);
  }

  /** Every digest with something in it. */
  digests(): readonly Digest[] {
    return [...this.#collected.values()].map(({ endpointId, topic, firstSeq, seq, count, items }) => ({
      endpointId,
      topic,
      seq,
      data: `{"first_seq":${firstSeq},"seq":${seq},"count":${count},"items":[${items.join(',')}]}`,
    }));
  }

  #collect(endpointId: string, { topic, data }: TopicEvent, item: string): void {
    const firstSeq = 'first_seq' in data ? data.first_seq : data.seq;
    const key = `${endpointId} ${topic}`;
    const collected = this.#collected.get(key) ?? { endpointId, topic, firstSeq, seq: data.seq, count: 0, items: [] };
    this.#collected.set(key, collected);
    collected.firstSeq = Math.min(collected.firstSeq, firstSeq);
    collected.seq = Math.max(collected.seq, data.seq);
    collected.count += 1;
    if (collected.items.length < DIGEST_ITEMS_MAX) collected.items.push(item);
  }
}
