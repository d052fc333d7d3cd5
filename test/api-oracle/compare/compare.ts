/**
 * Sends a request and compares what comes back with what must come back: status, every value, the wire order of records'
 * keys, and the text itself, which is the one way to write its values. A list is read to its end by following its
 * cursors, the feed for some pages.
 */

import { answerRequest } from '../answer.ts';
import type { ApiState } from '../api-state.ts';
import type { Client } from '../client.ts';
import type { Expected } from '../expected.ts';
import { type ApiRequest, targetFromRequest } from '../request.ts';
import { compareDownload } from './download.ts';
import { compareBody, type Exchange, send, type Verdict } from './exchange.ts';
import { compareFeed } from './feed.ts';
import { compareList } from './list.ts';
import { compareInvalid, compareRefusal } from './refusal.ts';

export interface Comparison {
  readonly kind: Expected['kind'];
  readonly answers: number;
  readonly difference: Verdict;
}

export async function compareRequest(client: Client, state: ApiState, request: ApiRequest): Promise<Comparison> {
  const exchange: Exchange = { client, state, request, answers: 0 };
  const expected = answerRequest(state, request);
  const difference = await compareExpected(exchange, expected);
  return { kind: expected.kind, answers: exchange.answers, difference };
}

async function compareExpected(exchange: Exchange, expected: Expected): Promise<Verdict> {
  const target = targetFromRequest(exchange.request);
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
    case 'invalid':
      return compareInvalid(target, await send(exchange, target), expected);
  }
}
