/** A value that is there, or will be. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with a value: at once where it is there, so that what nobody has to wait for costs no turn of the event loop. What
 * `next` throws is thrown then; where the value is still to come it rejects.
 */
export function whenThere<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
