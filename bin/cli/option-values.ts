import { readdir } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { FEATURES, type Feature, HISTORY_MONTHS_FULL } from '../../api/accounts/organizations/plans.ts';
import { isTopic, TOPICS, type Topic } from '../../api/webhooks/topics/topics.ts';
import { type Day, dayFromDate, isDay } from '../../runtime/day.ts';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import { ID_LENGTH_MAX } from '../../schemas/datasets.ts';

/** Refuses an empty value, and one that looks like an option, whose value was forgotten. */
export function textValue(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
  if (value.startsWith('--')) throw new InvalidArgumentError('The value is missing.');
  return value;
}

export function textValues(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, textValue(value)];
}

/** Comma-separated, and repeatable. */
export function namesValue(value: string, before: readonly string[] = []): readonly string[] {
  const names = textValue(value)
    .split(',')
    .map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('A name is empty.');
  return [...new Set([...before, ...names])];
}

export function nameValue(value: string): string {
  const name = textValue(value).trim();
  if ([...name].length > 200 || /\p{Cc}/u.test(name))
    throw new InvalidArgumentError('It must be one line of at most 200 characters.');
  return name;
}

/** Comma-separated; `none` is an empty list. */
export function featuresValue(value: string): Feature[] {
  const names = value === 'none' ? [] : textValue(value).split(',');
  return names.map((name) => {
    const feature = FEATURES.find((known) => known === name.trim());
    if (feature === undefined) throw new InvalidArgumentError(`Each must be one of ${FEATURES.join(', ')}, or none.`);
    return feature;
  });
}

/** Comma-separated, or `all`. */
export function topicsValue(value: string): readonly Topic[] {
  if (value === 'all') return TOPICS;
  return textValue(value)
    .split(',')
    .map((name) => {
      const topic = name.trim();
      if (!isTopic(topic)) throw new InvalidArgumentError(`Each must be one of ${TOPICS.join(', ')}, or all.`);
      return topic;
    });
}

/** Comma-separated; `\,` is a comma within an id. */
export function idsValue(value: string, before: readonly string[] = []): readonly string[] {
  const ids = textValue(value)
    .split(/(?<!\\),/)
    .map((id) => id.trim().replaceAll('\\,', ','));
  if (ids.some((id) => id === '' || id.length > ID_LENGTH_MAX))
    throw new InvalidArgumentError(`Each must be an id of at most ${ID_LENGTH_MAX} characters.`);
  return [...before, ...ids];
}

export function positiveValue(max: number): (value: string) => number {
  return (value) => {
    const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    if (!(number > 0 && number <= max)) throw new InvalidArgumentError(`It must be a number above 0, up to ${max}.`);
    return number;
  };
}

export function numberValue(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return number;
  };
}

/** Units per day. Not null for unlimited, since commander takes null for an option without a value. */
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

/** A duration such as 30m, 24h or 90d in milliseconds; 0 is none. */
export function durationValue(value: string): number {
  const { count = '', unit = '' } = /^(?<count>\d{1,7})(?<unit>[mhd])$/.exec(value)?.groups ?? {};
  const milliseconds =
    value === '0' ? 0 : Number(count) * (unit === 'm' || unit === 'h' || unit === 'd' ? DURATION_MS[unit] : Number.NaN);
  if (!(milliseconds <= DURATION_DAYS_MAX * DURATION_MS.d))
    throw new InvalidArgumentError(`It must be like 30m, 24h or 90d, at most ${DURATION_DAYS_MAX}d.`);
  return milliseconds;
}

/** A duration between a minute and what Node's timers hold. */
export function intervalValue(value: string): number {
  const milliseconds = durationValue(value);
  if (milliseconds >= DURATION_MS.m && milliseconds <= 24 * DURATION_MS.d) return milliseconds;
  throw new InvalidArgumentError('It must be like 30m, 24h or 7d, from 1m to 24d.');
}

/** The first instant of a UTC day, or a duration from now in milliseconds. */
export function expiryValue(value: string): Date | number {
  if (isDay(value)) return new Date(`${value}T00:00:00Z`);
  try {
    return durationValue(value);
  } catch {
    throw new InvalidArgumentError('It must be a calendar day YYYY-MM-DD, or like 24h or 90d.');
  }
}

/** An instant, the start of a day, or a duration ago in milliseconds. */
export function instantValue(value: string): Date | number {
  const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z$/.test(value);
  if (isDay(value) || (isInstant && !Number.isNaN(Date.parse(value)))) return new Date(value);
  try {
    return durationValue(value);
  } catch {
    throw new InvalidArgumentError('It must be like 2026-11-20T12:00:00Z, 2026-11-20, 24h or 7d.');
  }
}

export function choiceValue<const W extends string>(choices: readonly W[]): (value: string) => W {
  return (value) => {
    const choice = choices.find((known) => known === value);
    if (choice === undefined) throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`);
    return choice;
  };
}

/** Comma-separated, and repeatable. */
export function choicesValue<const W extends string>(choices: readonly W[]) {
  return (value: string, before: readonly W[] = []): readonly W[] => {
    const chosen = namesValue(value).map((name) => {
      const choice = choices.find((known) => known === name);
      if (choice === undefined) throw new InvalidArgumentError(`Each must be one of ${choices.join(', ')}.`);
      return choice;
    });
    return [...new Set([...before, ...chosen])];
  };
}

/** An email address; `none` is null. */
export function emailValue(value: string): string | null {
  if (value === 'none') return null;
  if (/^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,255}$/.test(value)) return value;
  throw new InvalidArgumentError('It must be an address like owner@example.com, or none.');
}

/** The day of `--day`, by default today (UTC); throws `usage` for an invalid one. */
export function dayFromOption(day: string | undefined, now: Date): Day {
  if (day === undefined) return dayFromDate(now);
  if (!isDay(day)) throw new AppError('usage', `--day ${day} is not a calendar day YYYY-MM-DD`);
  return day;
}

/** Rejects with `usage` for an unreadable folder or one with content; it may be missing. */
export async function assertEmptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new AppError('usage', `${folder} can't be used: ${messageFromError(error)}`);
  });
  if (names.length > 0) throw new AppError('usage', `${folder} is not empty: choose an empty or a new folder`);
}
