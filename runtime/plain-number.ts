/** More digits than a price or score has, and without the last two, which hold binary noise. */
const DIGITS = 12;

/** A number for display: 0.1232 for a computed 0.12320000000000002. Published numbers have all digits. */
export function plainNumber(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
}

/** {@link plainNumber} of both; all digits where the two would look equal. */
export function plainNumbers(before: number, after: number): readonly [before: number, after: number] {
  const [was, is] = [plainNumber(before), plainNumber(after)];
  return was === is ? [before, after] : [was, is];
}
