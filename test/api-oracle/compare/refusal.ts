/**
 * Compares answers that say no: the error envelope, and the list of problems of a validation error (specification
 * "Error envelope"; "Validation errors").
 */
import type { Answer } from '../client.ts';
import { type InvalidExpected, type RefusalExpected, TEXT } from '../expected.ts';
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

/** Every problem is told, in any order, and no other. */
export function compareInvalid(target: string, answer: Answer, { problems }: InvalidExpected): Verdict {
  if (answer.status !== 422) {
    return { target, path: '(status)', expected: { status: 422, problems }, actual: shortAnswer(answer) };
  }
  const detail = isObject(answer.body) && Array.isArray(answer.body['detail']) ? answer.body['detail'] : [];
  const told: unknown[] = [...detail];
  for (const problem of problems) {
    const at = told.findIndex((entry) => isProblem(entry, problem));
    if (at < 0) return { target, path: 'detail', expected: problems, actual: answer.body };
    told.splice(at, 1);
  }
  return told.length === 0 ? undefined : { target, path: 'detail', expected: problems, actual: answer.body };
}

function isProblem(entry: unknown, { loc, type }: InvalidExpected['problems'][number]): boolean {
  if (!isObject(entry) || typeof entry['msg'] !== 'string' || typeof entry['type'] !== 'string') return false;
  return JSON.stringify(entry['loc']) === JSON.stringify(loc) && (type === undefined || entry['type'] === type);
}
