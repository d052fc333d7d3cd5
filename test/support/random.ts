/** Numbers 0 ≤ x < 1 that look random and are the same for the same seed (mulberry32). */
export type Random = () => number;

export function randomFromSeed(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Chooser = ReturnType<typeof createChooser>;

export function createChooser(seed: number) {
  const random = randomFromSeed(seed);
  const integer = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  /** One of a list that isn't empty. */
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[integer(0, list.length - 1)] as T; // the index is within the list
  };
  return {
    chance: (probability: number) => random() < probability,
    integer,
    pick,
    /** One of these, as often as its weight says. */
    weighted: <T extends string>(weights: Readonly<Record<T, number>>) => {
      const names = Object.keys(weights) as T[]; // its own keys
      return pick(names.flatMap((name) => Array.from({ length: weights[name] }, () => name)));
    },
  };
}
