/** Compares answers that say no: the error envelope (specification "Error envelope"). */
import type { Answer } from '../client.ts';
import { type RefusalExpected, TEXT } from '../expected.ts';
import { findDifference, isObject } from './difference.ts';
import { shortAnswer, type Verdict } from './exchange.ts';

export function compareRefusal(target: string, answer: Answer, { status, code, param }: RefusalExpected): Verdict {
  if (answer.status !== status) return { target, path: '(status)', expected: status, actual: shortAnswer(answer) };
  if (status === 405 && answer.headers.get('allow') !== 'GET, HEAD') {
    return { target, path: '(header allow)', expected: 'GET, HEAD', actual: answer.headers.get('allow') };
  }
  if (answer.text === '') return undefined; // a HEAD has no body
  const error = isObject(answer.body) && isObject(answer.body['error']) ? answer.body['error'] : {};
  const known = { code, message: TEXT, ...(param === undefined ? {} : { param }) };
  const actual = Object.fromEntries(Object.keys(known).map((name) => [name, error[name] ?? null]));
  const difference = findDifference(known, actual, 'error');
  return difference && { target, ...difference };
}
