/** How often a person gets a digest. */
export const FREQUENCIES = ['daily', 'weekly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** 1970-01-01 was a Thursday. */
const MONDAY = 4;

/** The next hour (UTC) after `now` at which a digest is due: daily, or on Mondays. */
export function nextDigestAt(frequency: Frequency, now: Date, hour: number): Date {
  const periodMs = frequency === 'daily' ? DAY_MS : 7 * DAY_MS;
  const offsetMs = (frequency === 'daily' ? 0 : MONDAY * DAY_MS) + hour * HOUR_MS;
  const periods = Math.floor((now.getTime() - offsetMs) / periodMs) + 1;
  return new Date(periods * periodMs + offsetMs);
}
