import { setImmediate as nextTick } from 'node:timers/promises';
import { ulidFromParts } from '../../../runtime/ulid.ts';
import type { ControlDatabase } from '../../database/control-database.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Topic, TopicEvent } from '../topics/topics.ts';
import { forSubscribed, hasDeliveries, insertEvents, type QueuedEvent } from './event-rows.ts';
import { advance, type Claim, type Place } from './progress.ts';
import { type Digest, lockReceptions } from './subscriptions.ts';

/**
 * Rows per transaction, plus those of one event, which is never split. Larger: on SQLite requests wait longer for the
 * event loop, some 10 ms now. Smaller: more waits for the disk.
 */
const ROWS_MAX = 500;
/** Bytes of events outside the feed per transaction, plus one digest. */
const OUTSIDE_BYTES_MAX = 256 * 1024;

export interface EventWriterDeps {
  readonly control: ControlDatabase;
  /** The claim on the progress, as of now. */
  readonly claim: () => Claim;
  /** Ends the work between two transactions; a later poll continues there. */
  readonly signal: AbortSignal;
}

export interface EventWriterInput {
  /** The store's identity. */
  readonly record: string;
  /** When the release was published. */
  readonly publishedAt: Date;
  /** The progress so far. */
  readonly place: Place;
}

/** Another dispatcher has moved on: these events are written already. */
export class Overtaken extends Error {}

type Recipient = { readonly endpointId: string };

/**
 * Writes a release's events in small transactions, each of which advances the progress (`progress.ts`). Ids derive from
 * event and recipient. Rejects with {@link Overtaken}.
 */
export class EventWriter {
  readonly #input: EventWriterInput;
  readonly #deps: EventWriterDeps;
  #place: Place;
  /** The newest change that was added. */
  #seq: number;
  #waiting: QueuedEvent[] = [];
  #rows = 0;
  /** Digests, and events of datasets without a feed. */
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

  /** Events, and deliveries that wait. */
  get written(): { readonly events: number; readonly deliveries: number } {
    return { events: this.#events, deliveries: this.#deliveries };
  }

  /** Adds an event of the feed; in the order of `seq`. */
  async add(event: TopicEvent, recipients: readonly Recipient[]): Promise<void> {
    this.#seq = event.data.seq;
    if (recipients.length === 0) return;
    this.#waiting.push(this.#queued(event, recipients));
    this.#rows += 1 + recipients.length;
    if (this.#rows >= ROWS_MAX) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#seq === this.#place.seq) return;
    await this.#commit(this.#waiting, { ...this.#place, seq: this.#seq });
    [this.#waiting, this.#rows] = [[], 0];
  }

  /**
   * Adds an event without a place in the feed, after all others. Several may share a `seq`, so its id derives from all
   * its data. Events of an earlier call stay.
   */
  async addOutsideFeed(event: TopicEvent, recipients: readonly Recipient[]): Promise<void> {
    if (recipients.length === 0) return;
    const facts = factsOf(event);
    const { topic, seq, data } = facts;
    await this.#addOutside(this.#queuedFor(facts, { recipients, idParts: [topic, seq, data] }));
  }

  /** After all single events. A digest of an earlier poll stays. */
  async addDigest({ endpointId, topic, seq, data }: Digest): Promise<void> {
    // One per endpoint and topic, whatever its content.
    const idParts = [topic, 'digest', endpointId];
    await this.#addOutside(
      this.#queuedFor({ topic, seq, data, endpointId }, { recipients: [{ endpointId }], idParts }),
    );
  }

  /** With the release's own events, which complete it. */
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
    return this.#queuedFor(facts, { recipients, idParts: [facts.topic, facts.seq] });
  }

  #queuedFor(
    facts: EventFacts,
    { recipients, idParts }: { readonly recipients: readonly Recipient[]; readonly idParts: readonly IdPart[] },
  ): QueuedEvent {
    const { record, publishedAt } = this.#input;
    const parts = [record, ...idParts];
    const ulid = (...more: readonly string[]) => ulidFromParts(publishedAt, [...parts, ...more]);
    return {
      ...facts,
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
    const added = await orUnavailable(() =>
      work.execute(async (transaction) => {
        if (!(await advance(transaction, { from: this.#place, to, claim: now }))) return undefined;
        const reception = await lockReceptions(transaction, endpointIds, publishedAt);
        const written = events.map((event) => forSubscribed(event, reception)).filter(hasDeliveries);
        await insertEvents(transaction, written, { occurredAt: publishedAt, now: now.now });
        return written;
      }),
    );
    if (added === undefined) throw new Overtaken();
    this.#place = to;
    this.#events += added.length;
    this.#deliveries += added
      .flatMap(({ deliveries }) => deliveries)
      .filter(({ reception }) => reception === 'receives').length;
    await nextTick(); // On SQLite requests had to wait: let them run.
  }
}

interface EventFacts {
  readonly topic: Topic;
  readonly seq: number;
  readonly data: string;
  readonly endpointId: string | null;
}

/** A part of an event's id, beside the store's identity. */
type IdPart = string | number;

function factsOf({ topic, data }: TopicEvent): EventFacts {
  return { topic, seq: data.seq, data: JSON.stringify(data), endpointId: null };
}
