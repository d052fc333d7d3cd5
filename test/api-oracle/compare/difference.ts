import { Shape } from '../expected.ts';

export interface Difference {
  /** The request's target, and where in its answer, such as `points[3].value`. */
  readonly target: string;
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The first place at which two JSON values differ; keys may come in any order, and a {@link Shape} stands for a form. */
export function findDifference(expected: unknown, actual: unknown, path = ''): Omit<Difference, 'target'> | undefined {
  if (expected instanceof Shape) return expected.matches(actual) ? undefined : { path, expected, actual };
  if (Array.isArray(expected)) return findArrayDifference(expected, actual, path);
  if (isObject(expected)) return findObjectDifference(expected, actual, path);
  return Object.is(expected, actual) ? undefined : { path, expected, actual };
}

function findArrayDifference(expected: readonly unknown[], actual: unknown, path: string) {
  if (!Array.isArray(actual)) return { path, expected, actual };
  for (const [i, item] of expected.entries()) {
    if (i >= actual.length) break;
    const difference = findDifference(item, actual[i], `${path}[${i}]`);
    if (difference !== undefined) return difference;
  }
  if (expected.length === actual.length) return undefined;
  return { path: `${path}.length`, expected: expected.length, actual: actual.length };
}

function findObjectDifference(expected: Readonly<Record<string, unknown>>, actual: unknown, path: string) {
  if (!isObject(actual)) return { path, expected, actual };
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const inner = path === '' ? name : `${path}.${name}`;
    const difference = findDifference(expected[name], actual[name], inner);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** The first record, at the places where an answer holds records, whose keys are not in wire order. */
export function findKeyOrderDifference(expected: unknown, actual: unknown, path = '') {
  if (!isObject(expected) || !isObject(actual)) return undefined;
  const [wire, sent] = [Object.keys(expected), Object.keys(actual)];
  const isSame = wire.length === sent.length && wire.every((name, i) => name === sent[i]);
  return isSame ? undefined : { path: `${path} (order of keys)`, expected: wire, actual: sent };
}

/** A difference as a person reads it; long values are cut. */
export function describeDifference({ target, path, expected, actual }: Difference): string {
  return `${target}\n  at ${path || '(the answer)'}\n  expected ${shorten(expected)}\n  actual   ${shorten(actual)}`;
}

function shorten(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
