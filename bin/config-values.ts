import { z } from 'zod';

export const Milliseconds = wholeNumber(1, 86_400_000);

export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message);
}
