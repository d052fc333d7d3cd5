import { BlockList, isIP } from 'node:net';
import { isThisMachine } from '../../../../api/server/urls.ts';
import { messageFromError } from '../../../../runtime/errors.ts';
import { type Finding, fail, ok, type Setup, warn } from '../finding.ts';
import { servesHere } from '../use.ts';

/** Whether callers are told the right address, and have their own. */
export async function checkAddresses(setup: Setup): Promise<Finding | undefined> {
  if (!servesHere(setup)) return undefined;
  const { PUBLIC_URL, TRUSTED_PROXIES } = setup.config;
  const problems = TRUSTED_PROXIES.flatMap(findProxyProblem);
  if (problems.length > 0)
    return fail(`MODELSTATS_TRUSTED_PROXIES: ${problems.join('; ')}`, 'list addresses or networks of proxies');
  if (TRUSTED_PROXIES.some((network) => network.endsWith('/0')))
    return warn('MODELSTATS_TRUSTED_PROXIES trusts everybody', 'list the proxies alone: callers can claim any address');
  if (PUBLIC_URL === undefined) return ok('links name the host of each request: MODELSTATS_PUBLIC_URL is not set');
  const url = new URL(PUBLIC_URL);
  if (isThisMachine(url)) return ok(`callers use ${PUBLIC_URL}, from this machine alone`);
  if (url.protocol !== 'https:')
    return warn(`callers use ${PUBLIC_URL}, where keys travel in the clear`, 'serve it by https, behind a proxy');
  if (TRUSTED_PROXIES.length === 0)
    return warn(
      `callers use ${PUBLIC_URL}, and no proxy is trusted`,
      'set MODELSTATS_TRUSTED_PROXIES to what ends TLS, or every caller has its address and shares its limits',
    );
  return ok(`callers use ${PUBLIC_URL} through ${TRUSTED_PROXIES.join(', ')}`);
}

/** The words that stand for networks, as the server understands them. */
const NAMED = new Set(['loopback', 'linklocal', 'uniquelocal']);

function findProxyProblem(text: string): readonly string[] {
  if (NAMED.has(text) || isIP(text) !== 0) return [];
  const [address = '', prefix = ''] = text.split('/');
  try {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    new BlockList().addSubnet(address, Number(prefix === '' ? Number.NaN : prefix), family);
    return [];
  } catch (error) {
    return [`'${text}' is no address or network (${messageFromError(error)})`];
  }
}
