/** A value, or a promise of one. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Passes a value to `next`: synchronously unless it is a promise, which saves a turn of the event loop. What `next`
 * throws is thrown or rejected accordingly.
 */
export function mapAwaitable<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
