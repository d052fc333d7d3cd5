import { median } from '../results.ts';
import type { LoadPlan, LoadResult } from './load-plan.ts';
import { runLoad } from './run-load.ts';
import type { Server } from './servers.ts';
import type { ApiBenchOptions } from './stages.ts';

export interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly result: LoadResult;
}

/** What {@link compareServers} tells, in this order. */
export const COMPARED_COLUMNS = [
  ...(['bytes', 'bare requests/s', 'requests/s', 'ratio', 'each pair'] as const),
  ...(['bare processor µs', 'processor µs'] as const),
] as const;

/** The same load on the API and on bare Fastify in turn: the medians of some pairs of rounds, as cells of a table. */
export async function compareServers(
  { api, bare }: { readonly api: Server; readonly bare: Server },
  plan: Pick<LoadPlan, 'paths' | 'tags' | 'connections'>,
  { headers, seconds, repeats, progress }: Pick<ApiBenchOptions, 'headers' | 'seconds' | 'repeats' | 'progress'>,
): Promise<readonly string[]> {
  const load = { ...plan, headers };
  for (const server of [api, bare]) await loadOnce(server, { ...load, seconds: seconds / 4 });
  const pairs: { readonly api: Round; readonly bare: Round }[] = [];
  for (let pair = 0; pair < repeats; pair += 1) {
    pairs.push({ bare: await loadOnce(bare, { ...load, seconds }), api: await loadOnce(api, { ...load, seconds }) });
  }
  const ratios = pairs.map((pair) => pair.api.perSecond / pair.bare.perSecond);
  const middle = (value: (pair: (typeof pairs)[number]) => number) => median(pairs.map(value)).toFixed(0);
  progress(`  ${plan.paths[0]}: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`);
  const [first] = pairs;
  return [
    ((first?.api.result.bodyBytes ?? 0) / (first?.api.result.requests ?? 1)).toFixed(0),
    middle((pair) => pair.bare.perSecond),
    middle((pair) => pair.api.perSecond),
    median(ratios).toFixed(2),
    ratios.map((ratio) => ratio.toFixed(2)).join(' '),
    middle((pair) => pair.bare.cpuUs),
    middle((pair) => pair.api.cpuUs),
  ];
}

/** One round of load. */
export async function loadOnce(server: Server, plan: Omit<LoadPlan, 'origin'>): Promise<Round> {
  const before = await server.cpuMs();
  const result = await runLoad({ origin: server.origin, ...plan });
  const cpuMs = (await server.cpuMs()) - before;
  return { perSecond: (result.requests / result.wallMs) * 1000, cpuUs: (cpuMs * 1000) / result.requests, result };
}
