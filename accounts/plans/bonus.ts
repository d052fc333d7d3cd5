import { ATTRIBUTION_BONUS } from './plans.ts';

/**
 * Until when each verified integration counts, in Unix milliseconds, the latest first; of no more than count (specification "Verified
 * integrations"). It counts from the moment on from which it is there, so only its end has to be known ahead.
 */
export type BonusEnds = readonly number[];

/** The end of what nothing has ended yet: the last instant that a `Date` can be. */
export const NO_END_MS = 8_640_000_000_000_000;

/** How many integrations raise the quota at `now`. */
export function bonusesAt(ends: BonusEnds, now: Date): number {
  return ends.filter((endMs) => endMs > now.getTime()).length;
}

/** Scalar subselects in SQL for the ends of an organization, each a column; the largest ones are all that can count. */
export function bonusColumns(organizationId: string): string {
  const end = (offset: number) =>
    `(select i.bonus_until from integrations i where i.organization_id = ${organizationId} and i.bonus_until is not null
      order by i.bonus_until desc limit 1 offset ${offset})`;
  return Array.from({ length: ATTRIBUTION_BONUS.integrationsMax }, (_, offset) => `${end(offset)} as bonus_${offset}`).join(', ');
}
