import { type Finding, fail, ok, warn } from '../finding.ts';

/** An hour's error of ours is a night's wrong day; of a minute nobody notices. */
const OFF_MS_MAX = 5 * 60_000;
const OFF_MS_USUAL = 30_000;

/** How this machine's clock stands to another's, which is exact to a second. */
export function compareClocks(here: Date, there: Date, whose: string): Finding {
  const offMs = here.getTime() - there.getTime();
  const seconds = Math.round(Math.abs(offMs) / 1000);
  const told = `this clock is ${seconds} s ${offMs < 0 ? 'behind' : 'before'} that of ${whose}`;
  const advice = 'keep the clock set by NTP: it decides which day is today';
  if (Math.abs(offMs) > OFF_MS_MAX) return fail(told, advice);
  if (Math.abs(offMs) > OFF_MS_USUAL) return warn(told, advice);
  return ok(`this clock and that of ${whose} agree`);
}
