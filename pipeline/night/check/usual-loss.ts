import { type SourceSettings, USUAL_NIGHTS_MIN } from '../../source/source-settings.ts';

/** What a median absolute deviation has to be multiplied by to be the standard deviation of what is normally distributed. */
const SPREAD_OF_DEVIATION = 1.4826;

/** How many there were the night before, and how many there would be. */
export interface Shrinkage {
  readonly before: number;
  readonly after: number;
}

export type UsualSettings = Pick<SourceSettings, 'min_shrink' | 'min_shrink_records' | 'usual_spreads'>;

/** What is exceeded where more goes than usual: the part up to which it is usual, and the nights that say so. */
export interface Exceeded {
  readonly upTo: number;
  readonly nights: number;
}

/**
 * Whether more goes tonight than usually goes (specification "Guard"; decision 0078).
 * @param counts how many there were in each of the last nights, oldest first
 * @returns undefined where it is usual, where it is too little to hold a night, and where too few nights are known
 */
export function findUnusual(
  tonight: Shrinkage,
  counts: readonly number[],
  settings: UsualSettings,
): Exceeded | undefined {
  if (!isNoticeable(tonight, settings)) return undefined;
  const changes = changesFrom(counts);
  const usual = usualLoss(changes, settings.usual_spreads);
  if (usual === undefined || shareOf(tonight) <= usual) return undefined;
  return { upTo: Math.max(usual, settings.min_shrink), nights: changes.length };
}

/** Whether so much goes that it matters what is usual. */
export function isNoticeable(
  tonight: Shrinkage,
  { min_shrink, min_shrink_records }: Pick<UsualSettings, 'min_shrink' | 'min_shrink_records'>,
): boolean {
  return tonight.before - tonight.after > min_shrink_records && shareOf(tonight) > min_shrink;
}

/** The part that goes. */
export function shareOf({ before, after }: Shrinkage): number {
  return (before - after) / before;
}

/**
 * The largest part that usually goes in one night: the median of what went in each of the last nights, and `spreads` times their
 * spread more. Half of the nights would have to be odd before they move it at will.
 * @param changes what went in each night, as a part of what there was: below 0 where more came than went; in any order
 * @returns below 0 where something grows every night; undefined where too few nights are known
 */
export function usualLoss(changes: readonly number[], spreads: number): number | undefined {
  if (changes.length < USUAL_NIGHTS_MIN) return undefined;
  const middle = median(changes);
  return middle + spreads * SPREAD_OF_DEVIATION * median(changes.map((change) => Math.abs(change - middle)));
}

/** What went from each night to the next, as a part of what there was; a night with nothing before tells nothing. */
export function changesFrom(counts: readonly number[]): readonly number[] {
  return counts.slice(1).flatMap((after, index) => {
    const before = counts[index] ?? 0;
    return before === 0 ? [] : [shareOf({ before, after })];
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
  return (low + high) / 2;
}
