import { once } from 'node:events';
import { BlockList, createServer, isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseResponse, readText } from '../../../client/read-response.ts';
import { openCron } from '../../../pipeline/schedule/cron.ts';
import { findDeath, findNightProblem } from '../../../pipeline/schedule/health.ts';
import { readHealth } from '../../../pipeline/schedule/health-file.ts';
import { loadFetchSettings, openSource } from '../../../pipeline/source/open-source.ts';
import { listSourceDays } from '../../../pipeline/source/source-folder.ts';
import { findUnfilled } from '../../../pipeline/source/variables.ts';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import { isThisMachine } from '../../../runtime/this-machine.ts';
import { type Finding, fail, isSet, ok, type Setup, servesHere, warn } from './check.ts';

/** Whether the source can be read, without reading its rows or calling upstreams. */
export async function checkSource({ config, env, clock }: Setup): Promise<Finding | undefined> {
  if (config.places.source === undefined) return undefined;
  const root = resolve(config.places.source);
  const [days, toFetch] = [await listSourceDays(root), await loadFetchSettings(root)];
  const missing = toFetch?.fetch.flatMap((entry) => findUnfilled(entry, env)) ?? [];
  if (missing.length > 0)
    return fail(`${root} needs ${[...new Set(missing)].join(', ')}`, 'set these variables: its README explains them');
  if (toFetch !== undefined)
    return ok(`${root} lists ${toFetch.fetch.length} files to fetch; modelstats source check reads it`);
  const day = days.at(-1) ?? dayFromDate(clock());
  const { datasets, sqlPath } = await openSource(root, day);
  const what = sqlPath === undefined ? datasets.map(({ dataset }) => dataset).join(', ') : 'source.sql';
  const where = days.length === 0 ? root : `${root} to ${day}`;
  return ok(`${where}: ${what}; modelstats source check reads it`);
}

/** For a day that was given up without a command to run. */
const MISSED = 'the log of the scheduler says why; until the day ends you can publish it by hand';

/**
 * When the next night is due, whether the scheduler of the health file is running, and whether its night needs a
 * person.
 */
export async function checkSchedule(setup: Setup): Promise<Finding | undefined> {
  const { config, clock } = setup;
  if (!isSet(setup, 'CRON', 'HEALTH_FILE')) return undefined;
  const cron = openCron(config.schedule.cron, { log: { error: () => {} } });
  const today = dayFromDate(clock());
  const due = [today, addDays(today, 1)]
    .map((day) => cron.firstRunOn(day))
    .find((at) => at !== undefined && at > clock());
  cron.stop();
  const message = due === undefined ? `'${config.schedule.cron}' (UTC)` : `the next night is due ${due.toISOString()}`;
  if (config.process.healthFile === undefined) return ok(message);
  try {
    const health = readHealth(config.process.healthFile);
    const death = findDeath(health, clock());
    if (death !== undefined) return fail(`the scheduler is not running: ${death}`, 'start it, and check its log');
    const night = findNightProblem(health);
    if (night !== undefined) return fail(`${night.summary}; the scheduler is running`, night.advice ?? MISSED);
    const last =
      health.last === null ? 'no night yet' : `the last one of ${health.last.day} ended ${health.last.status}`;
    return ok(`the scheduler is ${health.state}, ${last}; ${message}`);
  } catch (error) {
    if (!isAppError(error, 'not_found')) throw error;
    return warn(error.message, 'start modelstats schedule');
  }
}

const TIMEOUT_MS = 3_000;

/** Of a health response; another server on the port may send without end. */
const HEALTH_BYTES_MAX = 64 * 1024;

const LiveSchema = z.object({ status: z.literal('live') });
const ReadySchema = z.object({ problems: z.array(z.object({ code: z.string(), message: z.string() })).optional() });

/** Whether `serve` can listen on its port, or already does and is healthy. */
export async function checkPort(setup: Setup): Promise<Finding | undefined> {
  const { host, port } = setup.config.serve;
  const { basePath } = setup.config.address;
  if (!servesHere(setup)) return undefined;
  if (port === 0) return ok('serve listens on any free port');
  const problem = await findListenProblem(host, port);
  if (problem === undefined) return ok(`${host}:${port} is free for serve`);
  const url = `${urlOf(host, port)}${basePath}`;
  if (!LiveSchema.safeParse(await jsonOf(`${url}/health/live`)).success)
    return fail(
      `serve can't listen on ${host}:${port}: ${problem}`,
      'stop the program that uses the port, or set MODELSTATS_PORT',
    );
  const { problems = [] } = ReadySchema.safeParse(await jsonOf(`${url}/health/ready`)).data ?? {};
  if (problems.length === 0) return ok(`serve responds at ${url}`);
  return warn(
    `serve responds at ${url}: ${problems.map(({ message }) => message).join('; ')}`,
    'its log has the causes',
  );
}

function urlOf(host: string, port: number): string {
  const here = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${here.includes(':') ? `[${here}]` : here}:${port}`;
}

/** Listens for a moment; undefined if that works. */
async function findListenProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return messageFromError(error);
  } finally {
    server.close();
  }
}

async function jsonOf(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return parseResponse((await readText(response, HEALTH_BYTES_MAX)).text);
  } catch {
    return undefined; // Not our server, or no response.
  }
}

export async function checkAddresses(setup: Setup): Promise<Finding | undefined> {
  if (!servesHere(setup)) return undefined;
  const { publicUrl, trustedProxies } = setup.config.address;
  const problems = trustedProxies.flatMap(findProxyProblem);
  if (problems.length > 0)
    return fail(`MODELSTATS_TRUSTED_PROXIES: ${problems.join('; ')}`, 'list addresses or networks of proxies');
  if (trustedProxies.some((network) => network.endsWith('/0')))
    return warn(
      'MODELSTATS_TRUSTED_PROXIES trusts everybody',
      'list only the proxies: otherwise callers can claim any address',
    );
  if (publicUrl === undefined)
    return ok('links have the host of each request, because MODELSTATS_PUBLIC_URL is not set');
  const url = new URL(publicUrl);
  if (isThisMachine(url)) return ok(`callers use ${publicUrl}, only from this machine`);
  if (url.protocol !== 'https:')
    return warn(`callers use ${publicUrl}, where keys are sent unencrypted`, 'serve it over https, behind a proxy');
  if (trustedProxies.length === 0)
    return warn(
      `callers use ${publicUrl}, and no proxy is trusted`,
      'set MODELSTATS_TRUSTED_PROXIES to the proxy that ends TLS, or all callers share its address and limits',
    );
  return ok(`callers use ${publicUrl} through ${trustedProxies.join(', ')}`);
}

/** Names of networks, as the server accepts them. */
const NAMED = new Set(['loopback', 'linklocal', 'uniquelocal']);

function findProxyProblem(text: string): readonly string[] {
  if (NAMED.has(text) || isIP(text) !== 0) return [];
  const [address = '', prefix = ''] = text.split('/');
  try {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    new BlockList().addSubnet(address, Number(prefix === '' ? Number.NaN : prefix), family);
    return [];
  } catch (error) {
    return [`'${text}' is not an address or network (${messageFromError(error)})`];
  }
}

export async function checkMetrics(setup: Setup): Promise<Finding | undefined> {
  const { config } = setup;
  if (!isSet(setup, 'METRICS_TOKEN', 'METRICS_OPEN', 'METRICS_PORT')) return undefined;
  const { host, port, isOpen, token } = config.metrics;
  const own = port === undefined ? undefined : urlOf(host, port);
  const url = `${own ?? `${urlOf(config.serve.host, config.serve.port)}${config.address.basePath}`}/metrics`;
  const status = await statusOf(url, token);
  if (status !== undefined && status !== 200)
    return fail(`${url} returned ${status}`, 'the running server has other settings: restart it');
  const message = status === undefined ? `${url} will be served` : `${url} can be read`;
  if (isOpen && own === undefined)
    return warn(`${message}, by anybody`, 'set MODELSTATS_METRICS_TOKEN or MODELSTATS_METRICS_PORT instead');
  return ok(`${message}, by ${token === undefined ? 'all who reach it' : 'holders of the token'}`);
}

/** Undefined if nothing listens. */
async function statusOf(url: string, token: string | undefined): Promise<number | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    ({ status }) => status,
    () => undefined,
  );
}
