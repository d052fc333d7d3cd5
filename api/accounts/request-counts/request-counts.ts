/**
 * What is counted of the requests of one UTC day, API key, route and client source (specification "Usage details"), under the
 * names that the columns of `request_counts`, the CSV and JSON have. A request with a valid key counts once, at its end.
 */
export const COUNT_NAMES = [
  /** All of them, whatever became of them. */
  'requests',
  /** Units of the daily quota that they took and did not give back. */
  'units',
  /** Answered 304, which costs no unit. */
  'not_modified',
  /** Answered with data on a unit that their Idempotency-Key held already. */
  'shared_units',
  /** Refused with 429 by the organization's burst limit or the route's backstop. */
  'rate_limited',
  /** Refused with 429 because the daily quota was used up. */
  'quota_exceeded',
  /** Refused with another 4xx. */
  'client_errors',
  /** Answered 5xx. */
  'server_errors',
  /** Whose client was gone before anything of the answer was sent. */
  'aborted',
] as const;
export type CountName = (typeof COUNT_NAMES)[number];

export type RequestCounts = Readonly<Record<CountName, number>>;

export const NO_REQUESTS: RequestCounts = countsOf(() => 0);

/** Counts that are told name by name. */
export function countsOf(count: (name: CountName) => number): RequestCounts {
  // fromEntries doesn't know that all names are there.
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, count(name)])) as RequestCounts;
}

export function sumOfCounts(all: readonly RequestCounts[]): RequestCounts {
  return countsOf((name) => all.reduce((sum, counts) => sum + counts[name], 0));
}
