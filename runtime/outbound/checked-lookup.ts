import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { OutboundFault } from './outbound-fault.ts';
import { type AllowedNetwork, isReachable } from './public-address.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>;

const resolveBySystem: ResolveName = (name) => lookup(name, { all: true });

/**
 * How a connection finds its address, for `net.connect`: what is checked here is what is connected to, so an answer of the DNS that
 * changes afterwards has no effect. One address that must not be reached spoils the whole answer: whoever mixes them means harm, or
 * doesn't mean the public. Fails with an {@link OutboundFault}.
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
      // The type asks for addresses even beside an error.
      (error: OutboundFault) => callback(error, []),
    );
  };
}

/**
 * Asks once for all who want a name at the same time: the system answers only a few questions at once, on threads that files and
 * compression need as well, and a name whose server is silent holds one for long.
 */
function sharing(resolveName: ResolveName): ResolveName {
  const asking = new Map<string, ReturnType<ResolveName>>();
  return (name) => {
    const known = asking.get(name);
    if (known !== undefined) return known;
    const answer = resolveName(name);
    asking.set(name, answer);
    const forget = () => asking.delete(name);
    answer.then(forget, forget);
    return answer;
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
