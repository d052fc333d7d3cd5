import { timestampFromDate } from '../../../runtime/day.ts';
import type { DeliveredEvent } from '../queue/delivery-queue.ts';

/** What is sent, the same bytes in every attempt (specification "Delivery"). */
export function deliveryBody({ id, topic, occurredAt, data }: DeliveredEvent): string {
  const [idText, topicText, atText] = [id, topic, timestampFromDate(occurredAt)].map((text) => JSON.stringify(text));
  return `{"id":${idText},"topic":${topicText},"occurred_at":${atText},"data":${data}}`;
}
