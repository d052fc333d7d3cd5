import { join } from 'node:path';
import { median, type ResultTable } from '../results.ts';
import type { LoadPlan, LoadResult } from './load-plan.ts';
import { runLoad } from './run-load.ts';
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
  for (const path of paths) warm.push(await compare({ path, api, bare }, options));
  const packed = { ...options, headers: { ...options.headers, 'accept-encoding': 'gzip' } };
  const barePacked = await startBare({ api, paths, headers: packed.headers, folder: stage.folder });
  const gzip: (readonly string[])[] = [];
  for (const path of paths) gzip.push(await compare({ path, api, bare: barePacked }, packed));
  await Promise.all([api.stop(), bare.stop(), barePacked.stop()]);
  const uncached = await startApi({ store: stage.after, view, env: { ...options.env, MODELSTATS_CACHE_BYTES: '1' } });
  const cold: (readonly string[])[] = [];
  for (const { cold: pathOf } of ROUTES) cold.push(await measureCold(uncached, pathOf, options));
  await uncached.stop();
  return {
    title: 'A current-data request, warm, against bare Fastify sending the same bytes',
    columns: [
      ...[
        'request',
        'bytes',
        'bare requests/s',
        'requests/s',
        'ratio',
        'each pair',
        'bare processor µs',
        'processor µs',
      ],
      ...['cold requests/s', 'cold p50 ms', 'cold p99 ms'],
    ],
    rows: [
      ...ROUTES.map(({ warm: path }, i) => [`\`${path}\``, ...(warm[i] ?? []), ...(cold[i] ?? [])]),
      ...ROUTES.map(({ warm: path }, i) => [`\`${path}\`, gzip`, ...(gzip[i] ?? []), '–', '–', '–']),
    ],
    note:
      `Goal: at least 50 %. Each server is a process of its own, asked in turn by the same client over ${CONNECTIONS} kept connections; ` +
      `with a key, its burst limit and its daily quota, which SQLite keeps. Medians of ${options.repeats} rounds of ${options.seconds} s. Processor time of the server, a request. ` +
      `Cold: nothing is kept, and each request has another filter, on ${scores} scores; latencies with ${CONNECTIONS} requests at once.`,
  };
}

interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly result: LoadResult;
}

async function compare(
  { path, api, bare }: { readonly path: string; readonly api: Server; readonly bare: Server },
  options: ApiBenchOptions,
): Promise<readonly string[]> {
  const load = { paths: [path], headers: options.headers, connections: CONNECTIONS };
  for (const server of [api, bare]) await round(server, { ...load, seconds: options.seconds / 4 });
  const pairs: { readonly api: Round; readonly bare: Round }[] = [];
  for (let pair = 0; pair < options.repeats; pair += 1) {
    const plan = { ...load, seconds: options.seconds };
    pairs.push({ bare: await round(bare, plan), api: await round(api, plan) });
  }
  const ratios = pairs.map((pair) => pair.api.perSecond / pair.bare.perSecond);
  const middle = (value: (pair: (typeof pairs)[number]) => number) => median(pairs.map(value)).toFixed(0);
  options.progress(`  ${path}: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`);
  const [first] = pairs;
  return [
    String((first?.api.result.bodyBytes ?? 0) / (first?.api.result.requests ?? 1)),
    middle((pair) => pair.bare.perSecond),
    middle((pair) => pair.api.perSecond),
    median(ratios).toFixed(2),
    ratios.map((ratio) => ratio.toFixed(2)).join(' '),
    middle((pair) => pair.bare.cpuUs),
    middle((pair) => pair.api.cpuUs),
  ];
}

async function measureCold(
  server: Server,
  pathOf: ((n: number) => string) | undefined,
  { headers, seconds }: ApiBenchOptions,
): Promise<readonly string[]> {
  if (pathOf === undefined) return ['–', '–', '–'];
  const paths = Array.from({ length: COLD_PATHS }, (_, n) => pathOf(n));
  const { perSecond, result } = await round(server, { paths, headers, seconds, connections: CONNECTIONS });
  return [perSecond.toFixed(0), result.p50Ms.toFixed(1), result.p99Ms.toFixed(1)];
}

/** More than are answered in a round. */
const COLD_PATHS = 20_000;

async function round(server: Server, plan: Omit<LoadPlan, 'origin'>): Promise<Round> {
  const before = await server.cpuMs();
  const result = await runLoad({ origin: server.origin, ...plan });
  const cpuMs = (await server.cpuMs()) - before;
  return { perSecond: (result.requests / result.wallMs) * 1000, cpuUs: (cpuMs * 1000) / result.requests, result };
}
