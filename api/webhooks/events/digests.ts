import { DIGEST_ITEMS_MAX, type Topic, type TopicEvent } from '../topics/topics.ts';
import { type RecipientsOf, recipientsFrom, type Subscription } from './subscriptions.ts';

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
