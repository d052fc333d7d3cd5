/** Reads a list to its end by following its cursors; a cursor that was made for other filters must be refused. */

import { type ListExpected, TEXT } from '../expected.ts';
import { targetFromRequest } from '../request.ts';
import { isObject } from './difference.ts';
import { compareBody, type Exchange, send, type Verdict } from './exchange.ts';
import { compareInvalid } from './refusal.ts';

export async function compareList(exchange: Exchange, expected: ListExpected): Promise<Verdict> {
  return (await comparePages(exchange, expected)) ?? (await compareForeignCursor(exchange));
}

async function comparePages(exchange: Exchange, expected: ListExpected): Promise<Verdict> {
  const { name, rows, limit, envelope } = expected;
  let cursor: string | undefined;
  for (let start = 0; start === 0 || start < rows.length; start += limit) {
    const target = targetFromRequest(exchange.request, cursor === undefined ? {} : { cursor });
    const isLast = start + limit >= rows.length;
    const body = { ...envelope, [name]: rows.slice(start, start + limit), next_cursor: isLast ? null : TEXT };
    const answer = await send(exchange, target);
    const difference = compareBody(exchange, target, answer, body);
    if (difference !== undefined) return difference;
    cursor = isObject(answer.body) ? String(answer.body['next_cursor']) : '';
  }
  return undefined;
}

async function compareForeignCursor(exchange: Exchange): Promise<Verdict> {
  const { request } = exchange;
  if (request.foreignQuery === undefined) return undefined;
  const { body } = await send(exchange, targetFromRequest(request));
  const cursor = isObject(body) ? body['next_cursor'] : null;
  if (typeof cursor !== 'string') return undefined;
  const target = targetFromRequest({ ...request, query: { ...request.foreignQuery, cursor } });
  const problems = [{ loc: ['query', 'cursor'], type: undefined }];
  return compareInvalid(target, await send(exchange, target), { kind: 'invalid', problems });
}
