/**
 * Compares pages of the change feed. An unfiltered page holds exactly what its limit allows; a filtered one may stop
 * early, so what is held to is that its pages, one after another, skip and repeat nothing and come to the end.
 */
import { cursorFromSeq, seqFromCursor } from '../../../schemas/change.ts';
import type { Answer } from '../client.ts';
import { type FeedExpected, Shape } from '../expected.ts';
import { targetFromRequest } from '../routes.ts';
import type { FeedEvent } from '../world.ts';
import { findKeyOrderDifference, isObject } from './difference.ts';
import { compareBody, type Exchange, send, type Verdict } from './exchange.ts';

/** Pages read of a feed by one request; test/api/consumer.test.ts reads it whole. */
const PAGES_MAX = 4;

export async function compareFeed(exchange: Exchange, expected: FeedExpected): Promise<Verdict> {
  let [afterSeq, hasMore] = [expected.afterSeq, true];
  for (let page = 0; page < PAGES_MAX && hasMore; page += 1) {
    const target = targetFromRequest(exchange.request, page === 0 ? {} : { cursor: cursorFromSeq(afterSeq) });
    const response = await send(exchange, target);
    const difference = comparePage(exchange, target, response, { ...expected, afterSeq });
    if (difference !== undefined) return difference;
    const sent = isObject(response.body) ? response.body : {};
    afterSeq = seqFromCursor(String(sent['next_cursor'])) ?? 0;
    hasMore = sent['has_more'] === true;
  }
  return undefined;
}

/** `expected.events` may begin before `afterSeq`. */
function comparePage(exchange: Exchange, target: string, response: Answer, expected: FeedExpected): Verdict {
  const sent = isObject(response.body) ? response.body : {};
  const sentEvents = Array.isArray(sent['events']) ? sent['events'] : [];
  const rest = restAfter(expected);
  const count = expected.isFiltered ? Math.min(sentEvents.length, expected.limit) : expected.limit;
  const events = rest.slice(0, count);
  return (
    compareBody(exchange, target, response, expectedPage(expected, events, rest)) ??
    orderDifference(target, events, sentEvents)
  );
}

/** Events have seqs without a gap, so an unfiltered rest begins at a known place. */
function restAfter({ events, afterSeq, isFiltered }: FeedExpected): readonly FeedEvent[] {
  if (isFiltered) return events.filter(({ seq }) => seq > afterSeq);
  return events.slice(Math.max(0, afterSeq + 1 - (events[0]?.seq ?? 0)));
}

function expectedPage(expected: FeedExpected, events: readonly FeedEvent[], rest: readonly FeedEvent[]) {
  const { retainedFrom, publishedThrough } = expected;
  const envelope = { events, retained_from: retainedFrom, published_through: publishedThrough };
  const isWhole = events.length === rest.length;
  if (!expected.isFiltered) {
    const lastSeq = events.at(-1)?.seq ?? expected.headSeq;
    return { ...envelope, next_cursor: cursorFromSeq(isWhole ? expected.headSeq : lastSeq), has_more: !isWhole };
  }
  return { ...envelope, next_cursor: scannedCursor(expected, events, rest), has_more: hasMoreShape(expected, isWhole) };
}

/** The last scanned seq: past the page's events, before the next matching one, never where the page began. */
function scannedCursor(
  { afterSeq, headSeq }: FeedExpected,
  events: readonly FeedEvent[],
  rest: readonly FeedEvent[],
): Shape {
  const lowest = events.at(-1)?.seq ?? Math.min(afterSeq + 1, headSeq);
  const highest = (rest[events.length]?.seq ?? headSeq + 1) - 1;
  return new Shape(`a cursor of ${lowest} to ${highest}`, (cursor) => {
    const seq = typeof cursor === 'string' ? seqFromCursor(cursor) : undefined;
    return seq !== undefined && seq >= lowest && seq <= highest;
  });
}

/** While matching events are left there is more; after the last, a page may be followed by an empty one. */
function hasMoreShape({ afterSeq, headSeq }: FeedExpected, isWhole: boolean): Shape {
  if (!isWhole) return new Shape('true', (value) => value === true);
  if (afterSeq >= headSeq) return new Shape('false', (value) => value === false);
  return new Shape('true or false', (value) => typeof value === 'boolean');
}

function orderDifference(target: string, events: readonly FeedEvent[], sent: readonly unknown[]): Verdict {
  for (const [i, { data }] of events.entries()) {
    const event = sent[i];
    const difference = findKeyOrderDifference(data, isObject(event) ? event['data'] : null, `events[${i}].data`);
    if (difference !== undefined) return { target, ...difference };
  }
  return undefined;
}
