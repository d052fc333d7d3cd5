/** How many of the values, which are in some order, come first because a condition holds for them: a binary search. */
export function partitionPoint(values: ArrayLike<number>, isFirst: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isFirst(values[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
