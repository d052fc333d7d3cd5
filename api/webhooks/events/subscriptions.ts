import { isPostgres } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';
import { type Endpoint, type EndpointMode, type EndpointState, endpointFromRow } from '../endpoints/endpoint.ts';
import { type Matcher, matcherFromFilters } from '../endpoints/filters.ts';
import {
  CHANGE_TOPICS,
  type ChangeTopic,
  DIGEST_ITEMS_MAX,
  TOPICS,
  type Topic,
  type TopicEvent,
} from '../topics/topics.ts';

export interface Subscription {
  readonly endpointId: string;
  readonly mode: EndpointMode;
  readonly topics: ReadonlySet<Topic>;
  /** Models that its filters name. */
  readonly models: readonly string[];
  readonly matches: Matcher;
}

/** An endpoint whose filters this version can't apply. */
export interface SkippedEndpoint {
  readonly endpointId: string;
  readonly unknownFilters: readonly string[];
}

/**
 * Endpoints subscribed when a release was published: those that receive it, active then and now, and those that miss it
 * and can replay it (specification "From changes to events").
 */
export async function readSubscriptions(database: Database, publishedAt: Date) {
  const query = subscribedAt(database, publishedAt).selectAll().orderBy('id');
  const rows = await orUnavailable(() => query.execute());
  const endpoints = rows.map(endpointFromRow);
  const isSkipped = ({ unknownFilters }: Endpoint) => unknownFilters.length > 0;
  const subscriptions = endpoints
    .filter((endpoint) => !isSkipped(endpoint))
    .map(
      ({ id, mode, topics, filters }): Subscription => ({
        endpointId: id,
        mode,
        topics: new Set(topics),
        models: filters.models ?? [],
        matches: matcherFromFilters(filters),
      }),
    );
  const skipped = endpoints
    .filter(isSkipped)
    .map(({ id, unknownFilters }): SkippedEndpoint => ({ endpointId: id, unknownFilters }));
  return { subscriptions, skipped };
}

/** Whether an endpoint receives a release or misses it. */
export type ReceptionStatus = 'receives' | 'misses';

/** Those that are still subscribed. On PostgreSQL their state is locked until the transaction ends. */
export async function lockReceptions(
  transaction: Database,
  endpointIds: readonly string[],
  publishedAt: Date,
): Promise<ReadonlyMap<string, ReceptionStatus>> {
  if (endpointIds.length === 0) return new Map();
  const query = subscribedAt(transaction, publishedAt)
    .select(['id', 'state', 'state_changed_at'])
    .where('id', 'in', endpointIds)
    .orderBy('id');
  const rows = await query.$if(isPostgres(transaction), (endpoints) => endpoints.forShare()).execute();
  const isReceiving = (row: (typeof rows)[number]) =>
    row.state === 'active' && row.state_changed_at <= publishedAt.getTime();
  return new Map(rows.map((row) => [row.id, isReceiving(row) ? 'receives' : 'misses']));
}

/** When the longest-active endpoint was activated, in Unix milliseconds. */
export async function readFirstActive(database: Database): Promise<number | null> {
  const query = database
    .selectFrom('webhook_endpoints')
    .where('state', '=', 'active')
    .select(({ fn }) => fn.min('state_changed_at').as('since'));
  return (await orUnavailable(() => query.executeTakeFirstOrThrow())).since;
}

/** States that are active or lead to it by a ping. */
const SUBSCRIBED_STATES = ['registered', 'active', 'revoked'] as const satisfies readonly EndpointState[];

function subscribedAt(database: Database, publishedAt: Date) {
  return database
    .selectFrom('webhook_endpoints')
    .where('state', 'in', SUBSCRIBED_STATES)
    .where('created_at', '<=', publishedAt.getTime());
}

export type RecipientsOf = (event: TopicEvent) => readonly Subscription[];

/** Prepared once, as a night may have a million events. */
export function recipientsFrom(subscriptions: readonly Subscription[]): RecipientsOf {
  const byTopic = new Map(TOPICS.map((topic) => [topic, subscriptions.filter(({ topics }) => topics.has(topic))]));
  return (event) => (byTopic.get(event.topic) ?? []).filter(({ matches }) => matches(event));
}

/** Topics made from changes that any of these endpoints has. */
export function changeTopicsOf(subscriptions: readonly Subscription[]): ReadonlySet<ChangeTopic> {
  return new Set(CHANGE_TOPICS.filter((topic) => subscriptions.some(({ topics }) => topics.has(topic))));
}

/** One topic of one night for one endpoint. */
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
  /** JSON texts, shared among endpoints. */
  readonly items: string[];
}

/** From a night's events in the order of `seq` (specification "Digests"). */
export class DigestCollector {
  readonly #recipients: RecipientsOf;
  readonly #collected = new Map<string, Collected>();

  /** @param subscriptions of endpoints with mode `digest` */
  constructor(subscriptions: readonly Subscription[]) {
    this.#recipients = recipientsFrom(subscriptions);
  }

  add(event: TopicEvent): void {
    const recipients = this.#recipients(event);
    if (recipients.length === 0) return;
    const item = JSON.stringify(event.data);
    for (const { endpointId } of recipients) this.#collect(endpointId, event, item);
  }

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
