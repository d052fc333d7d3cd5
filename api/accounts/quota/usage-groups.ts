import type { ReadRequest, ReleaseRequest, ReserveRequest, UsageAnswer } from './usage-store.ts';

/**
 * How the reservations of a batch are counted together, with one statement whatever their number, and how each gets its own answer.
 */

/** Requests that are counted in one row; never empty. */
export type Group<T> = readonly [T, ...T[]];
export type Groups<T> = readonly Group<T>[];

/** Requests by the row that they are counted in, in their order. */
export function groupsOf<T>(requests: readonly T[], rowOf: (request: T) => string): ReadonlyMap<string, Group<T>> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const request of requests) {
    const group = groups.get(rowOf(request));
    if (group === undefined) groups.set(rowOf(request), [request]);
    else group.push(request);
  }
  return groups;
}

/** Names the row of an organization's day. */
export function dayOf({ organizationId, day }: Pick<ReadRequest, 'organizationId' | 'day'>): string {
  return `${organizationId} ${day}`;
}

/** Names the row of an Idempotency-Key. */
export function keyOf({ day, credentialId, idempotency }: ReserveRequest | ReleaseRequest): string {
  return JSON.stringify([day, credentialId, idempotency?.key, idempotency?.request]);
}

/** The columns that name the row of an organization's day. */
export function organizationDayOf([{ organizationId, day }]: Group<Pick<ReadRequest, 'organizationId' | 'day'>>) {
  return [organizationId, day] as const;
}

/** While terms change, the requests of one batch can have different caps; the largest holds, for some seconds at most. */
export function capOf(group: readonly ReserveRequest[]): number | null {
  let largest = 0;
  for (const { cap } of group) {
    if (cap === null) return null;
    largest = Math.max(largest, cap);
  }
  return largest;
}

/** What a row says after reservations were counted in it. */
export interface Counted {
  /** The units used, all those included that were granted now. */
  readonly used: number;
  /** How many of the reservations got a unit. */
  readonly granted: number;
}

/** What the request at this place of its group gets: the first ones get the units, and usage grows with each of them. */
export function answerFromCount({ used, granted }: Counted, index: number): UsageAnswer {
  const left = Math.max(0, granted - index - 1);
  const isGranted = index < granted;
  return { isGranted, used: used - left, units: isGranted ? 1 : 0 };
}

/** Whether a request has an Idempotency-Key, which may hold a unit already. */
export function isKeyed({ idempotency }: ReserveRequest | ReleaseRequest): boolean {
  return idempotency !== undefined;
}
