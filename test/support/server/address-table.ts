import fc from 'fast-check';

/**
 * Which addresses are public, read from IANA's registries of special-purpose addresses and written as ranges of numbers: a second
 * reading beside the one of runtime/outbound/address-check.ts, which rests on a library.
 */

/** First address and number of leading bits. */
type Range = readonly [first: string, bits: number];

const NOT_PUBLIC_V4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Within 2000::/3; nothing beyond it is public. */
const NOT_PUBLIC_V6: readonly Range[] = [
  ['2001:0:0:0:0:0:0:0', 23],
  ['2001:db8:0:0:0:0:0:0', 32],
  ['2002:0:0:0:0:0:0:0', 16],
  ['2620:4f:8000:0:0:0:0:0', 48],
  ['3fff:0:0:0:0:0:0:0', 20],
];
const [GLOBAL, MAPPED, NAT64]: readonly [Range, Range, Range] = [
  ['2000:0:0:0:0:0:0:0', 3],
  ['0:0:0:0:0:ffff:0:0', 96],
  ['64:ff9b:0:0:0:0:0:0', 96],
];

export function isPublicByTable(value: bigint, version: 4 | 6): boolean {
  if (version === 4) return !NOT_PUBLIC_V4.some((range) => isWithin(value, range));
  if (isWithin(value, MAPPED) || isWithin(value, NAT64)) return isPublicByTable(value & 0xffffffffn, 4);
  return isWithin(value, GLOBAL) && !NOT_PUBLIC_V6.some((range) => isWithin(value, range));
}

function isWithin(value: bigint, [first, bits]: Range): boolean {
  const rest = BigInt((first.includes(':') ? 128 : 32) - bits);
  return value >> rest === numberOf(first) >> rest;
}

function numberOf(text: string): bigint {
  const isV6 = text.includes(':');
  const parts = text.split(isV6 ? ':' : '.').map((part) => BigInt(isV6 ? `0x${part}` : part));
  return parts.reduce((value, part) => (value << (isV6 ? 16n : 8n)) | part, 0n);
}

export interface TableAddress {
  /** As the host of a URL. */
  readonly text: string;
  readonly value: bigint;
  readonly version: 4 | 6;
}

/** Addresses of all kinds, often at an edge of a special network; refused-urls.ts has one in every spelling that a URL may have. */
export function addresses(): fc.Arbitrary<TableAddress> {
  const ofV6 = fc.oneof(near([...NOT_PUBLIC_V6, GLOBAL, MAPPED, NAT64], 128), embedded());
  return fc.oneof(
    near(NOT_PUBLIC_V4, 32).map((value) => ({ text: partsOf(value, 4, 8).join('.'), value, version: 4 as const })),
    ofV6.map((value) => {
      const groups = partsOf(value, 8, 16).map((group) => group.toString(16));
      return { text: `[${groups.join(':')}]`, value, version: 6 as const };
    }),
  );
}

/** Anywhere, within a range, or right beside one. */
function near(ranges: readonly Range[], width: number): fc.Arbitrary<bigint> {
  const max = (1n << BigInt(width)) - 1n;
  const edges = ranges.flatMap(([first, bits]) => {
    const [from, size] = [numberOf(first), 1n << BigInt(width - bits)];
    return [from - 1n, from, from + size - 1n, from + size, from + size / 2n];
  });
  return fc.oneof(fc.bigInt(0n, max), fc.constantFrom(...edges.map((edge) => edge & max)));
}

/** IPv4 addresses in the lowest bits of IPv6 ones, as several standards have them. */
function embedded(): fc.Arbitrary<bigint> {
  const prefixes = ['0:0:0:0:0:0:0:0', MAPPED[0], NAT64[0], '0:0:0:0:ffff:0:0:0', '64:ff9b:1:0:0:0:0:0'].map(numberOf);
  return fc.tuple(fc.constantFrom(...prefixes), near(NOT_PUBLIC_V4, 32)).map(([prefix, value]) => prefix | value);
}

/** So many parts of so many bits, the highest first. */
function partsOf(value: bigint, count: number, bits: number): readonly bigint[] {
  const mask = (1n << BigInt(bits)) - 1n;
  return Array.from({ length: count }, (_, index) => (value >> BigInt((count - 1 - index) * bits)) & mask);
}
