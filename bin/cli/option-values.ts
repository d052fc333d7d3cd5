import { InvalidArgumentError } from 'commander';
import {
  FEATURES,
  type Feature,
  HISTORY_MONTHS_FULL,
  isPlanName,
  PLAN_NAMES,
  type PlanName,
} from '../../accounts/plans/plans.ts';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '../../accounts/plans/terms.ts';
import { isDay } from '../../schemas/day.ts';

/** An option's value. Refuses one that is empty, and one that looks like an option, since then the value was forgotten. */
export function textValue(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
  if (value.startsWith('--')) throw new InvalidArgumentError('The value is missing.');
  return value;
}

export function textValues(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, textValue(value)];
}

/** A name that people gave: one line of at most 200 characters. */
export function nameValue(value: string): string {
  const name = textValue(value).trim();
  if ([...name].length > 200 || /\p{Cc}/u.test(name))
    throw new InvalidArgumentError('It must be one line of at most 200 characters.');
  return name;
}

export function planValue(value: string): PlanName {
  if (!isPlanName(value)) throw new InvalidArgumentError(`It must be one of ${PLAN_NAMES.join(', ')}.`);
  return value;
}

export function statusValue(value: string): SubscriptionStatus {
  const status = SUBSCRIPTION_STATUSES.find((name) => name === value);
  if (status === undefined) throw new InvalidArgumentError(`It must be one of ${SUBSCRIPTION_STATUSES.join(', ')}.`);
  return status;
}

/** Features separated by commas; none is an empty list. */
export function featuresValue(value: string): Feature[] {
  const names = value === 'none' ? [] : textValue(value).split(',');
  return names.map((name) => {
    const feature = FEATURES.find((known) => known === name.trim());
    if (feature === undefined) throw new InvalidArgumentError(`Each must be one of ${FEATURES.join(', ')}; or none.`);
    return feature;
  });
}

/** A whole number within bounds. */
export function numberValue(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return number;
  };
}

/** Units a day. Not null for unlimited: commander takes null for an option without a value. */
export function quotaValue(value: string): number | 'unlimited' {
  return value === 'unlimited' ? value : numberValue(0, 1_000_000_000)(value);
}

export function historyMonthsValue(value: string): number {
  return value === 'full' ? HISTORY_MONTHS_FULL : numberValue(0, HISTORY_MONTHS_FULL)(value);
}

export function yesNoValue(value: string): boolean {
  if (value !== 'yes' && value !== 'no') throw new InvalidArgumentError('It must be yes or no.');
  return value === 'yes';
}

/** The first instant of a UTC day. */
export function dayStartValue(value: string): Date {
  if (!isDay(value)) throw new InvalidArgumentError('It must be a calendar day YYYY-MM-DD.');
  return new Date(`${value}T00:00:00Z`);
}

const DURATION_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION_DAYS_MAX = 3660;

/** A length of time such as 30m, 24h or 90d, in milliseconds; 0 is none. */
export function durationValue(value: string): number {
  const { count = '', unit = '' } = /^(?<count>\d{1,7})(?<unit>[mhd])$/.exec(value)?.groups ?? {};
  const milliseconds =
    value === '0' ? 0 : Number(count) * (unit === 'm' || unit === 'h' || unit === 'd' ? DURATION_MS[unit] : Number.NaN);
  if (!(milliseconds <= DURATION_DAYS_MAX * DURATION_MS.d))
    throw new InvalidArgumentError(`It must be like 30m, 24h or 90d, at most ${DURATION_DAYS_MAX}d.`);
  return milliseconds;
}

/** When something ends: the first instant of a UTC day, or a length of time from now, in milliseconds. */
export function expiryValue(value: string): Date | number {
  if (isDay(value)) return new Date(`${value}T00:00:00Z`);
  try {
    return durationValue(value);
  } catch {
    throw new InvalidArgumentError('It must be a calendar day YYYY-MM-DD, or like 24h or 90d.');
  }
}
