import type { Terms } from './terms.ts';

/**
 * Whether limits refuse or are only measured (specification "Enforcement"). The per-route backstop and the limit before
 * authentication don't depend on it.
 */
export interface Enforcement {
  readonly mode: 'measure' | 'enforce';
  /** With `enforce`: the announced instant from which limits refuse; null: always. */
  readonly from: Date | null;
}

/** Whether the daily quota and the organization's burst limit refuse at `now`. */
export function isEnforced(
  { mode, from }: Enforcement,
  { status, graceUntil }: Pick<Terms, 'status' | 'graceUntil'>,
  now: Date,
): boolean {
  if (mode === 'measure' || (from !== null && now < from)) return false;
  return !(status === 'grace' && graceUntil !== null && now < graceUntil);
}
