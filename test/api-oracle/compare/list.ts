/** Reads a list to its end by following its cursors. */

import { type ListExpected, TEXT } from '../expected.ts';
import { targetFromRequest } from '../request.ts';
import { isObject } from './difference.ts';
import { compareBody, type Exchange, send, type Verdict } from './exchange.ts';

export async function compareList(exchange: Exchange, expected: ListExpected): Promise<Verdict> {
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
