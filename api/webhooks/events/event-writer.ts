import { setImmediate as nextTick } from 'node:timers/promises';
import { ulidFromParts } from '../../../runtime/ulid.ts';
import type { ControlDatabase } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Topic, TopicEvent } from '../topics/topics.ts';
import { forListening, hasDeliveries, insertEvents, type QueuedEvent } from './event-rows.ts';
import { type Claim, moveOn, type Place } from './progress.ts';
import { type Digest, keepListening } from './subscriptions.ts';

/**
 * Rows of a transaction. An event and its deliveries are never parted, so it may be more by one event's. Larger: on SQLite, where a
 * transaction holds up the event loop, requests wait longer; this many take some 10 ms. Smaller: more transactions, each of which
 * waits for the disk.
 */
const ROWS_MAX = 500;
/** Bytes of what has no place in the feed in a transaction, which may be more by one digest; for the same reason. */
const OUTSIDE_BYTES_MAX = 256 * 1024;

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
  /** What has no place in the feed: digests, and events of datasets without a feed. */
  #outside: QueuedEvent[] = [];
  #outsideRows = 0;
  #outsideBytes = 0;
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

  /**
   * Adds an event of a dataset without a change feed, behind those from the feed. Several may have the same `seq`, so its id follows
   * from all that it says. What an earlier call has written stays as it is.
   */
  async addOutsideFeed(event: TopicEvent, recipients: readonly Recipient[]): Promise<void> {
    if (recipients.length === 0) return;
    const facts = factsOf(event);
    const { topic, seq, data } = facts;
    await this.#addOutside(this.#queuedFor(facts, { recipients, idWords: [topic, seq, data] }));
  }

  /** Adds a digest, behind all single events. A digest that an earlier look has written stays as it is. */
  async addDigest({ endpointId, topic, seq, data }: Digest): Promise<void> {
    // A release has one digest per endpoint and topic, whatever stands in it.
    const idWords = [topic, 'digest', endpointId];
    await this.#addOutside(
      this.#queuedFor({ topic, seq, data, endpointId }, { recipients: [{ endpointId }], idWords }),
    );
  }

  /** Writes the rest and the release's own events; with that the release is done. */
  async finish(
    end: Place,
    last: readonly { readonly event: TopicEvent; readonly recipients: readonly Recipient[] }[] = [],
  ): Promise<void> {
    await this.flush();
    await this.#flushOutside();
    await this.#commit(
      last.map(({ event, recipients }) => this.#queued(event, recipients)),
      end,
    );
  }

  async #addOutside(event: QueuedEvent): Promise<void> {
    this.#outside.push(event);
    this.#outsideRows += 1 + event.deliveries.length;
    this.#outsideBytes += event.data.length;
    const isFull = this.#outsideRows >= ROWS_MAX || this.#outsideBytes >= OUTSIDE_BYTES_MAX;
    if (isFull) await this.#flushOutside();
  }

  async #flushOutside(): Promise<void> {
    if (this.#outside.length === 0) return;
    await this.#commit(this.#outside, this.#place);
    [this.#outside, this.#outsideRows, this.#outsideBytes] = [[], 0, 0];
  }

  #queued(event: TopicEvent, recipients: readonly Recipient[]): QueuedEvent {
    const facts = factsOf(event);
    return this.#queuedFor(facts, { recipients, idWords: [facts.topic, facts.seq] });
  }

  #queuedFor(
    told: Told,
    { recipients, idWords }: { readonly recipients: readonly Recipient[]; readonly idWords: readonly IdWord[] },
  ): QueuedEvent {
    const { record, publishedAt } = this.#input;
    const words = [record, ...idWords];
    const ulid = (...more: readonly string[]) => ulidFromParts(publishedAt, [...words, ...more]);
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

/** What the id of an event is made of, beside the store's identity. */
type IdWord = string | number;

function factsOf({ topic, data }: TopicEvent): Told {
  return { topic, seq: data.seq, data: JSON.stringify(data), endpointId: null };
}
