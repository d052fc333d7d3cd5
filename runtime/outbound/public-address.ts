import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Which addresses of the network requests to customers' addresses may reach (specification "Outbound requests"): public ones, and
 * those of allowed networks. Whatever is not known to be public is not.
 */

type Address = ReturnType<typeof ipaddr.parse>;

/** A network that may be reached although it is not public. */
export interface AllowedNetwork {
  /** As it was given. */
  readonly text: string;
  readonly address: Address;
  /** Bits of the address that count. */
  readonly prefix: number;
}

/** IPv6 addresses that were given out for public use all lie here; `ipaddr.js` calls the unassigned rest public too. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Where an IPv6 network reaches IPv4 addresses: in the last 32 bits. */
const WELL_KNOWN_NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Public by its number, but in Azure the platform's own server answers there. */
const AZURE_PLATFORM = '168.63.129.16';

/** True for the text of an address, in any spelling that Node takes, that is public or lies in an allowed network. */
export function isReachable(text: string, allow: readonly AllowedNetwork[]): boolean {
  if (isIP(text) === 0) return false;
  const address = unmapped(ipaddr.parse(text));
  return isPublic(address) || allow.some((network) => isIn(network, address));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_IPV6);
  return address.toString() !== AZURE_PLATFORM;
}

/**
 * The IPv4 address behind an IPv6 address that stands for one: `::ffff:10.0.0.7` on this machine, `64:ff9b::10.0.0.7` where IPv6
 * networks reach IPv4 ones. All other addresses as they are; old kinds of embedding are not public at all (decision 0050).
 */
function unmapped(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const isEmbedded = address.isIPv4MappedAddress() || address.match(WELL_KNOWN_NAT64);
  return isEmbedded ? ipaddr.fromByteArray(address.toByteArray().slice(12)) : address;
}

function isIn({ address: network, prefix }: AllowedNetwork, address: Address): boolean {
  if (network instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(network, prefix);
  return address instanceof ipaddr.IPv6 && address.match(network, prefix);
}

/**
 * A network such as `10.0.0.0/8` or `fd00::/8`, or a single address. Throws an `Error` that says what is wrong with any other text.
 */
export function parseNetwork(text: string): AllowedNetwork {
  const [written = '', prefixText, ...rest] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(written)] ?? 0;
  const isAddress = bits > 0 && !written.includes('%');
  if (!isAddress || rest.length > 0) throw new Error(`'${text}' is no network such as 10.0.0.0/8`);
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (prefixText !== undefined && (!/^\d{1,3}$/.test(prefixText) || prefix > bits)) {
    throw new Error(`'${text}' has no prefix from 0 to ${bits} behind its /`);
  }
  const address = ipaddr.parse(written);
  if (unmapped(address) instanceof ipaddr.IPv4 && bits === 128) {
    throw new Error(`'${text}' stands for IPv4 addresses: write them as IPv4`);
  }
  const first = networkAddress(address, prefix);
  if (first !== address.toString())
    throw new Error(`'${text}' goes beyond its prefix: its network is ${first}/${prefix}`);
  return { text, address, prefix };
}

/** The first address of the network, with zeros behind the prefix. */
function networkAddress(address: Address, prefix: number): string {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, prefix - 8 * index));
    return byte & (0xff00 >> kept) & 0xff;
  });
  return ipaddr.fromByteArray(bytes).toString();
}
