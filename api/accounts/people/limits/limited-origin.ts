import ipaddr from 'ipaddr.js';

/** What a client address counts as where attempts are limited: IPv6 by its /64, since a household has that many addresses. */
export function limitedOrigin(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const groups = ipaddr.IPv6.parse(parsed.toString()).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
