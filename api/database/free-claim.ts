import { type RawBuilder, sql } from 'kysely';

/** A claim that ends more than ten times its length from now is from a clock that was set back since. */
const AHEAD_MAX = 10;

/** SQL: a row with `claimed_until` is unclaimed, or the claim has expired. */
export function isFreeClaim(now: Date, { claimMs }: { readonly claimMs: number }): RawBuilder<boolean> {
  const nowMs = now.getTime();
  const aheadMs = nowMs + AHEAD_MAX * claimMs;
  return sql<boolean>`(claimed_until is null or claimed_until <= ${nowMs} or claimed_until > ${aheadMs})`;
}
