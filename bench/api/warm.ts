import { join } from 'node:path';
import type { ResultTable } from '../results.ts';
import { COMPARED_COLUMNS, compareServers, loadOnce } from './compare-servers.ts';
import { type Server, startApi, startBare } from './servers.ts';
import { type ApiBenchOptions, prepareApi } from './stages.ts';

const CONNECTIONS = 16;
const CHANGED = 0.01;

/** Current-data requests: the path that is asked again and again, and others of its kind, each asked once. */
const ROUTES = [
  { warm: '/v1/models?limit=50', cold: (n: number) => `/v1/models?limit=50&min_context=${n}` },
  {
    warm: '/v1/scores?limit=100',
    cold: (n: number) => `/v1/scores?limit=100&min_value=0.${String(n).padStart(7, '0')}`,
  },
  { warm: '/v1/categories', cold: undefined },
] as const;

/**
 * Specification "Performance goals": a current-data request whose answer is at hand, against bare Fastify sending the same
 * bytes.
 */
export async function measureWarm(scores: number, options: ApiBenchOptions): Promise<ResultTable> {
  const stage = await prepareApi({ scores, changed: CHANGED }, options);
  const view = join(stage.folder, 'view');
  const api = await startApi({ store: stage.after, view, env: options.env });
  const paths = ROUTES.map((route) => route.warm);
  const bare = await startBare({ api, paths, headers: options.headers, folder: stage.folder });
  const warm: (readonly string[])[] = [];
  const plan = (path: string) => ({ paths: [path], connections: CONNECTIONS });
  for (const path of paths) warm.push(await compareServers({ api, bare }, plan(path), options));
  const packed = { ...options, headers: { ...options.headers, 'accept-encoding': 'gzip' } };
  const barePacked = await startBare({ api, paths, headers: packed.headers, folder: stage.folder });
  const gzip: (readonly string[])[] = [];
  for (const path of paths) gzip.push(await compareServers({ api, bare: barePacked }, plan(path), packed));
  await Promise.all([api.stop(), bare.stop(), barePacked.stop()]);
  const uncached = await startApi({ store: stage.after, view, env: { ...options.env, MODELSTATS_CACHE_BYTES: '1' } });
  const cold: (readonly string[])[] = [];
  for (const { cold: pathOf } of ROUTES) cold.push(await measureCold(uncached, pathOf, options));
  await uncached.stop();
  return {
    title: 'A current-data request, warm, against bare Fastify sending the same bytes',
    columns: ['request', ...COMPARED_COLUMNS, ...['cold requests/s', 'cold p50 ms', 'cold p99 ms']],
    rows: [
      ...ROUTES.map(({ warm: path }, i) => [`\`${path}\``, ...(warm[i] ?? []), ...(cold[i] ?? [])]),
      ...ROUTES.map(({ warm: path }, i) => [`\`${path}\`, gzip`, ...(gzip[i] ?? []), '–', '–', '–']),
    ],
    note:
      `Goal: at least 50 %. Each server is a process; one client requests them in turn over ${CONNECTIONS} kept connections, with a key, burst ` +
      `limit and durable quota in SQLite. Medians of ${options.repeats} rounds of ${options.seconds} s. ` +
      `Cold: nothing cached, another filter per request, ${scores} scores, ${CONNECTIONS} requests at once.`,
  };
}

async function measureCold(
  server: Server,
  pathOf: ((n: number) => string) | undefined,
  { headers, seconds }: ApiBenchOptions,
): Promise<readonly string[]> {
  if (pathOf === undefined) return ['–', '–', '–'];
  const paths = Array.from({ length: COLD_PATHS }, (_, n) => pathOf(n));
  const { perSecond, result } = await loadOnce(server, { paths, headers, seconds, connections: CONNECTIONS });
  return [perSecond.toFixed(0), result.p50Ms.toFixed(1), result.p99Ms.toFixed(1)];
}

/** More than are answered in a round. */
const COLD_PATHS = 20_000;
