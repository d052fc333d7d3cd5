import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

export type OutboundReason = 'blocked' | 'timeout' | 'tls' | 'dns' | 'connection' | 'redirect';

/** Why there was no response; the message is for the person who supplied the address. */
export class OutboundFault extends Error {
  override readonly name = 'OutboundFault';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface UrlRules {
  readonly allow: readonly AllowedNetwork[];
  /** Default: https only. */
  readonly protocols?: readonly OutboundProtocol[] | undefined;
}

export type OutboundProtocol = 'https:' | 'http:';

export const URL_CHARACTERS_MAX = 2048;
/** Lower ports belong to system services such as mail; only these two serve the web. */
const [UNPRIVILEGED_PORT, HTTPS_PORT, HTTP_PORT] = [1024, 443, 80];
const LOCAL_NAME = /(?:^|\.)localhost$/;

/**
 * Why no request is sent to this URL, for the person who supplied it; undefined for a good one. Names are not resolved
 * here: their addresses are checked when a connection is opened. Specification "Outbound requests".
 */
export function findUrlProblem(text: string, rules: UrlRules): string | undefined {
  const checked = checkUrl(text, rules);
  return 'problem' in checked ? checked.problem : undefined;
}

export function checkUrl(
  text: string,
  { allow, protocols = ['https:'] }: UrlRules,
): { readonly url: URL } | { readonly problem: string } {
  if (text.length > URL_CHARACTERS_MAX) return { problem: `the URL is longer than ${URL_CHARACTERS_MAX} characters` };
  const url = URL.parse(text);
  if (url === null) return { problem: 'the URL is not valid' };
  const problem =
    findProtocolProblem(url, protocols) ?? findUserProblem(url) ?? findPortProblem(url) ?? findHostProblem(url, allow);
  return problem === undefined ? { url } : { problem };
}

function findProtocolProblem({ protocol }: URL, protocols: readonly OutboundProtocol[]): string | undefined {
  if (protocols.some((known) => known === protocol)) return undefined;
  return `the URL must begin with ${protocols.map((known) => `${known}//`).join(' or ')}`;
}

function findUserProblem({ username, password }: URL): string | undefined {
  return username === '' && password === '' ? undefined : 'the URL must not contain a user or password';
}

function findPortProblem({ protocol, port }: URL): string | undefined {
  const number = port === '' ? usualPort(protocol) : Number(port);
  if (number === HTTPS_PORT || number >= UNPRIVILEGED_PORT || number === usualPort(protocol)) return undefined;
  return `port ${number} is not allowed: use ${usualPort(protocol)}, or ${UNPRIVILEGED_PORT} or higher`;
}

function usualPort(protocol: string): number {
  return protocol === 'https:' ? HTTPS_PORT : HTTP_PORT;
}

function findHostProblem({ hostname }: URL, allow: readonly AllowedNetwork[]): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isReachable(address, allow) ? undefined : `${address} is not a public address`;
  const name = hostname.replace(/\.+$/, '');
  const isOwn = LOCAL_NAME.test(name) || !name.includes('.');
  // With an allowed network, an internal name may be intended; its address is checked like any other.
  return isOwn && allow.length === 0 ? `${hostname} is not a public name` : undefined;
}

type Address = ReturnType<typeof ipaddr.parse>;

export interface AllowedNetwork {
  readonly text: string;
  readonly address: Address;
  readonly prefix: number;
}

/** All IPv6 addresses assigned to public use are in here; `ipaddr.js` calls the unassigned rest public too. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** The network through which IPv6 hosts reach IPv4 addresses, in the last 32 bits. */
const WELL_KNOWN_NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** A public address, but in Azure the platform's own server. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Whether requests to customers' addresses may reach this one (specification "Outbound requests"): it is public, or in
 * an allowed network. Accepts each spelling that Node does; everything not known to be public is refused.
 */
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
 * The IPv4 address in an IPv6 address that embeds one (`::ffff:10.0.0.7`, `64:ff9b::10.0.0.7`); others unchanged. Older
 * embeddings are never public (decision 0050).
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
 * Parses a network such as `10.0.0.0/8` or `fd00::/8`, or a single address. Throws an `Error` that names the problem.
 */
export function parseNetwork(text: string): AllowedNetwork {
  const [written = '', prefixText, ...rest] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(written)] ?? 0;
  const isAddress = bits > 0 && !written.includes('%');
  if (!isAddress || rest.length > 0) throw new Error(`'${text}' is not a network such as 10.0.0.0/8`);
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (prefixText !== undefined && (!/^\d{1,3}$/.test(prefixText) || prefix > bits)) {
    throw new Error(`'${text}' needs a prefix from 0 to ${bits} after the /`);
  }
  const address = ipaddr.parse(written);
  if (unmapped(address) instanceof ipaddr.IPv4 && bits === 128) {
    throw new Error(`'${text}' contains IPv4 addresses: write them as IPv4`);
  }
  const first = networkAddress(address, prefix);
  if (first !== address.toString())
    throw new Error(`'${text}' has bits after its prefix: its network is ${first}/${prefix}`);
  return { text, address, prefix };
}

function networkAddress(address: Address, prefix: number): string {
  const bytes = address.toByteArray().map((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefix - 8 * index));
    return byte & (0xff00 >> bits) & 0xff;
  });
  return ipaddr.fromByteArray(bytes).toString();
}

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>;

const resolveBySystem: ResolveName = (name) => lookup(name, { all: true });

/**
 * The `lookup` for `net.connect`. It checks the very addresses that are connected to, so a DNS response that changes
 * later has no effect. One forbidden address refuses them all. Fails with an {@link OutboundFault}.
 */
export function checkedLookup(allow: readonly AllowedNetwork[], resolveName = resolveBySystem): LookupFunction {
  const resolveShared = sharing(resolveName);
  return (name, options, callback) => {
    resolveChecked(name, { allow, resolveName: resolveShared }).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      // The type requires addresses even with an error.
      (error: OutboundFault) => callback(error, []),
    );
  };
}

/**
 * Shares one query among concurrent requests for a name: the system resolves few names at once, on threads that files
 * and compression need too, and a silent name server blocks one for long.
 */
function sharing(resolveName: ResolveName): ResolveName {
  const pending = new Map<string, ReturnType<ResolveName>>();
  return (name) => {
    const known = pending.get(name);
    if (known !== undefined) return known;
    const response = resolveName(name);
    pending.set(name, response);
    const forget = () => pending.delete(name);
    response.then(forget, forget);
    return response;
  };
}

type Addresses = readonly [ResolvedAddress, ...ResolvedAddress[]];

async function resolveChecked(
  name: string,
  { allow, resolveName }: { readonly allow: readonly AllowedNetwork[]; readonly resolveName: ResolveName },
): Promise<Addresses> {
  const [first, ...others] = await resolveName(name).catch((cause: unknown) => {
    throw new OutboundFault('dns', `the name ${name} could not be resolved`, { cause });
  });
  if (first === undefined) throw new OutboundFault('dns', `the name ${name} has no address`);
  const addresses: Addresses = [first, ...others];
  const refused = addresses.find(({ address }) => !isReachable(address, allow));
  if (refused === undefined) return addresses;
  throw new OutboundFault('blocked', `${name} resolves to ${refused.address}, which is not a public address`);
}
