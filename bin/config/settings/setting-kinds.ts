import { z } from 'zod';

/** The kinds of values that several settings have. */

export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message);
}

export const Milliseconds = wholeNumber(1, 86_400_000);
export const Bytes = wholeNumber(1, Number.MAX_SAFE_INTEGER);
export const Kept = wholeNumber(1, 100_000);
/** At most a day; a timer of Node holds 24 days at most. */
export const Seconds = z.coerce.number().positive().max(86_400);
