import { USUAL_NIGHTS_MIN } from '../../source/source-settings.ts';

/** What a median absolute deviation has to be multiplied by to be the standard deviation of what is normally distributed. */
const SPREAD_OF_DEVIATION = 1.4826;

/**
 * The largest part that usually goes in one night: the median of what went in each of the last nights, and `spreads` times their
 * spread more (specification "Guard"; decision 0078). Half of the nights would have to be odd before they move it at will.
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
    return before === 0 ? [] : [(before - after) / before];
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
  return (low + high) / 2;
}
