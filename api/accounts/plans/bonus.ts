import { ATTRIBUTION_BONUS } from './plans.ts';

/**
 * Until when verified integrations count, in Unix milliseconds, the latest first; of those that can count, which are the last to end
 * (specification "Verified integrations"). Each counts from the moment on in which it is written, so only its end is known ahead.
 */
export type BonusEnds = readonly number[];

/** Of whoever has no verified integration. */
export const NO_BONUS: BonusEnds = [];

/** The end of what nothing has ended yet: the last instant that a `Date` can be. */
export const NO_END_MS = 8_640_000_000_000_000;

/** How many integrations raise the quota at `now`. */
export function bonusesAt(ends: BonusEnds, now: Date): number {
  return ends.filter((endMs) => endMs > now.getTime()).length;
}

/** What {@link bonusColumns} gives. */
export interface BonusColumns {
  readonly bonus_until: number | null;
  readonly second_bonus_until: number | null;
}

/** SQL of two columns that say until when the integrations of an organization count; more than two never do. */
export function bonusColumns(organizationId: string): string {
  const end = (offset: number) => `(
    select i.bonus_until from integrations i where i.organization_id = ${organizationId} and i.bonus_until is not null
    order by i.bonus_until desc limit 1 offset ${offset})`;
  return `${end(0)} as bonus_until, ${end(ATTRIBUTION_BONUS.integrationsMax - 1)} as second_bonus_until`;
}

export function bonusEndsFrom({ bonus_until, second_bonus_until }: BonusColumns): BonusEnds {
  return [bonus_until, second_bonus_until].filter((end) => end !== null);
}
