/** More than any price or score says, and fewer than the last two digits, in which binary arithmetic leaves its noise. */
const DIGITS = 12;

/** A number as people are shown it: 0.1232 where a computed one is 0.12320000000000002. What is published keeps all digits. */
export function plainNumber(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
}

/** {@link plainNumber} of a value before and after; both in all their digits where they could not be told apart else. */
export function plainNumbers(before: number, after: number): readonly [before: number, after: number] {
  const [was, is] = [plainNumber(before), plainNumber(after)];
  return was === is ? [before, after] : [was, is];
}
