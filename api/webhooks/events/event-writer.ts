import { setImmediate as nextTick } from 'node:timers/promises';
import { sql } from 'kysely';
import { ulidFromWords } from '../../../runtime/ulid.ts';
import { type ControlDatabase, jsonRows } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';
import type { Topic, TopicEvent } from '../topics/topics.ts';
import { type Claim, moveOn, type Place } from './progress.ts';
import { type Digest, keepListening, type Listening } from './subscriptions.ts';

/**
 * Rows of a transaction. An event and its deliveries are never parted, so it may be more by one event's. Larger: on SQLite, where a
 * transaction holds up the event loop, requests wait longer; this many take some 10 ms. Smaller: more transactions, each of which
 * waits for the disk.
 */
const ROWS_MAX = 500;
/** Bytes of digests in a transaction, which may be more by one digest; for the same reason. */
const DIGEST_BYTES_MAX = 256 * 1024;

export interface EventWriterDeps {
  readonly control: ControlDatabase;
  /** The claim on the progress, as of now. */
  readonly claim: () => Claim;
  /** Ends the work between two transactions; a later look goes on there. */
  readonly signal: AbortSignal;
}

export interface EventWriterInput {
  /** The store's identity. */
  readonly record: string;
  /** When what the events tell was published. */
  readonly publishedAt: Date;
  /** Where the progress is. */
  readonly place: Place;
}

/** Somebody else has moved on: what was computed here is written already. */
export class Overtaken extends Error {}

/** Whom an event is for. */
type Recipient = { readonly endpointId: string };

/**
 * Writes a release's events into the queue, in small transactions, each of which moves the progress on (`progress.ts`). Ids follow
 * from what is told to whom. All of it rejects with {@link Overtaken} where another dispatcher has moved on.
 */
export class EventWriter {
  readonly #input: EventWriterInput;
  readonly #deps: EventWriterDeps;
  #place: Place;
  /** The newest change that was added. */
  #seq: number;
  #waiting: QueuedEvent[] = [];
  #rows = 0;
  #digests: QueuedEvent[] = [];
  #digestBytes = 0;
  #events = 0;
  #deliveries = 0;

  constructor(input: EventWriterInput, deps: EventWriterDeps) {
    this.#input = input;
    this.#deps = deps;
    this.#place = input.place;
    this.#seq = input.place.seq;
  }

  /** What has been written: events, and deliveries that wait to be sent. */
  get written(): { readonly events: number; readonly deliveries: number } {
    return { events: this.#events, deliveries: this.#deliveries };
  }

  /** Adds an event made from a change; they come by `seq`. */
  async add(event: TopicEvent, recipients: readonly Recipient[]): Promise<void> {
    this.#seq = event.data.seq;
    if (recipients.length === 0) return;
    this.#waiting.push(this.#queued(event, recipients));
    this.#rows += 1 + recipients.length;
    if (this.#rows >= ROWS_MAX) await this.flush();
  }

  /** Writes what was added, and that it was looked at. */
  async flush(): Promise<void> {
    if (this.#seq === this.#place.seq) return;
    await this.#commit(this.#waiting, { ...this.#place, seq: this.#seq });
    [this.#waiting, this.#rows] = [[], 0];
  }

  /** Adds a digest, behind all single events. A digest that an earlier look has written stays as it is. */
  async addDigest({ endpointId, topic, seq, data }: Digest): Promise<void> {
    this.#digests.push(this.#queuedFor({ topic, seq, data, endpointId }, [{ endpointId }]));
    this.#digestBytes += data.length;
    if (this.#digestBytes >= DIGEST_BYTES_MAX) await this.#flushDigests();
  }

  /** Writes the rest and, where it has one, the release's own event; with that the release is done. */
  async finish(
    end: Place,
    last?: { readonly event: TopicEvent; readonly recipients: readonly Recipient[] },
  ): Promise<void> {
    await this.flush();
    await this.#flushDigests();
    await this.#commit(last === undefined ? [] : [this.#queued(last.event, last.recipients)], end);
  }

  async #flushDigests(): Promise<void> {
    if (this.#digests.length === 0) return;
    await this.#commit(this.#digests, this.#place);
    [this.#digests, this.#digestBytes] = [[], 0];
  }

  #queued({ topic, data }: TopicEvent, recipients: readonly Recipient[]): QueuedEvent {
    return this.#queuedFor({ topic, seq: data.seq, data: JSON.stringify(data), endpointId: null }, recipients);
  }

  #queuedFor(told: Told, recipients: readonly Recipient[]): QueuedEvent {
    const { record, publishedAt } = this.#input;
    const { topic, seq, endpointId: only } = told;
    // A release has one digest per endpoint and topic, whatever stands in it.
    const words = only === null ? [record, topic, seq] : [record, topic, 'digest', only];
    const ulid = (...more: readonly string[]) => ulidFromWords(publishedAt, [...words, ...more]);
    return {
      ...told,
      id: `evt_${ulid()}`,
      deliveries: recipients.map(({ endpointId }) => ({ id: `dlv_${ulid(endpointId)}`, endpointId })),
    };
  }

  async #commit(events: readonly QueuedEvent[], to: Place): Promise<void> {
    const { control, claim, signal } = this.#deps;
    signal.throwIfAborted();
    const now = claim();
    const { publishedAt } = this.#input;
    const endpointIds = [
      ...new Set(events.flatMap(({ deliveries }) => deliveries.map(({ endpointId }) => endpointId))),
    ];
    const work = control.kysely.transaction();
    const kept = await orUnavailable(() =>
      work.execute(async (transaction) => {
        if (!(await moveOn(transaction, { from: this.#place, to, claim: now }))) return undefined;
        const listening = await keepListening(transaction, endpointIds, publishedAt);
        const written = events.map((event) => forListening(event, listening)).filter(hasDeliveries);
        await insertEvents(transaction, written, { occurredAt: publishedAt, now: now.now });
        return written;
      }),
    );
    if (kept === undefined) throw new Overtaken();
    this.#place = to;
    this.#events += kept.length;
    this.#deliveries += kept
      .flatMap(({ deliveries }) => deliveries)
      .filter(({ listening }) => listening === 'told').length;
    await nextTick(); // On SQLite requests had to wait: they come first now.
  }
}

interface Told {
  readonly topic: Topic;
  readonly seq: number;
  readonly data: string;
  readonly endpointId: string | null;
}

function forListening(event: QueuedEvent, listeningOf: ReadonlyMap<string, Listening>): WrittenEvent {
  const deliveries = event.deliveries.flatMap((delivery) => {
    const listening = listeningOf.get(delivery.endpointId);
    return listening === undefined ? [] : [{ ...delivery, listening }];
  });
  return { ...event, deliveries };
}

function hasDeliveries({ deliveries }: WrittenEvent): boolean {
  return deliveries.length > 0;
}

/** An event and who has subscribed to it. */
interface QueuedEvent {
  readonly id: string;
  readonly topic: Topic;
  /** Set where it is for this endpoint alone. */
  readonly endpointId: string | null;
  readonly seq: number;
  /** JSON text. */
  readonly data: string;
  readonly deliveries: readonly QueuedDelivery[];
}

interface QueuedDelivery {
  readonly id: string;
  readonly endpointId: string;
}

interface WrittenEvent extends QueuedEvent {
  readonly deliveries: readonly (QueuedDelivery & { readonly listening: Listening })[];
}

interface InsertOptions {
  /** When what the events tell was published. */
  readonly occurredAt: Date;
  readonly now: Date;
}

/**
 * Writes events and a delivery per endpoint, which waits for one that is told and was dropped for one that misses it; events that are there
 * already stay, with their deliveries.
 */
async function insertEvents(
  transaction: Database,
  events: readonly WrittenEvent[],
  { occurredAt, now }: InsertOptions,
): Promise<void> {
  if (events.length === 0) return;
  const eventRows = events.map(({ id, topic, endpointId, seq, data }) => [id, topic, endpointId, seq, data]);
  await sql`insert into webhook_events (id, topic, endpoint_id, occurred_at, seq, data)
    select value->>0, value->>1, value->>2, cast(${occurredAt.getTime()} as bigint), cast(value->>3 as bigint), value->>4
    from ${jsonRows(transaction, eventRows)} where true on conflict do nothing`.execute(transaction);
  const deliveryRows = events.flatMap(({ id, deliveries }) =>
    deliveries.map((delivery) => [delivery.id, id, delivery.endpointId, delivery.listening]),
  );
  await sql`insert into webhook_deliveries
      (id, event_id, endpoint_id, kind, state, attempts, due_at, claimed_by, created_at, finished_at)
    select value->>0, value->>1, value->>2, 'event', case value->>3 when 'told' then 'waiting' else 'dropped' end, 0,
      cast(${now.getTime()} as bigint), null, cast(${now.getTime()} as bigint),
      case value->>3 when 'told' then null else cast(${now.getTime()} as bigint) end
    from ${jsonRows(transaction, deliveryRows)} where true on conflict do nothing`.execute(transaction);
}
