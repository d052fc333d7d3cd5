/**
 * Sends a request and compares what comes back with what must come back: status, every value, the wire order of records'
 * keys, and the text itself, which is the one way to write its values. A list is read to its end by following its
 * cursors, the feed for some pages.
 */
import { answerRequest } from '../answer.ts';
import type { Client } from '../client.ts';
import type { ApiState } from '../expected.ts';
import { type ApiRequest, targetFromRequest } from '../request.ts';
import { compareDownload } from './download.ts';
import { compareBody, type Exchange, send, type Verdict } from './exchange.ts';
import { compareFeed } from './feed.ts';
import { compareList } from './list.ts';
import { compareRefusal } from './refusal.ts';

export async function compareRequest(client: Client, state: ApiState, request: ApiRequest): Promise<Verdict> {
  const exchange: Exchange = { client, state, request };
  const expected = answerRequest(state, request);
  const target = targetFromRequest(request);
  switch (expected.kind) {
    case 'list':
      return compareList(exchange, expected);
    case 'feed':
      return compareFeed(exchange, expected);
    case 'download':
      return compareDownload(exchange, expected);
    case 'body':
      return compareBody(exchange, target, await send(exchange, target), expected.body);
    case 'refusal':
      return compareRefusal(target, await send(exchange, target), expected);
  }
}
