import { join } from 'node:path';
import type { ResultTable } from '../results.ts';
import { type ListCase, listCases } from './list-cases.ts';
import type { LoadResult } from './load-plan.ts';
import { runLoad } from './run-load.ts';
import { type Server, startApi } from './servers.ts';
import { type ApiBenchOptions, prepareApi } from './stages.ts';

const CHANGED = 0.01;
const CONNECTIONS = 16;
/** Requests of each kind, one at a time and then several at once. */
const REQUESTS = { alone: 48, together: 96 };
/** The same for a smoke run, which takes every eighth kind. */
const REQUESTS_QUICK = { alone: 2, together: 4 };
const QUICK_STEP = 8;

/** Specification "Performance goals": pages of lists that nobody asked for before. */
export async function measureLists(scores: number, options: ApiBenchOptions): Promise<ResultTable> {
  const stage = await prepareApi({ scores, changed: CHANGED }, options);
  const env = { ...options.env, MODELSTATS_CACHE_BYTES: '1' };
  const api = await startApi({ store: stage.after, view: join(stage.folder, 'view'), env });
  const isQuick = options.seconds < 1;
  const counts = isQuick ? REQUESTS_QUICK : REQUESTS;
  const cases = (await listCases(api.origin, options.headers)).filter((_, i) => !isQuick || i % QUICK_STEP === 0);
  const rows: (readonly string[])[] = [];
  for (const listCase of cases) {
    const row = await measureCase(listCase, { api, counts, headers: options.headers });
    options.progress(`  ${row.join(' ')}`);
    rows.push(row);
  }
  await api.stop();
  return {
    title: `Cold lists of ${scores} scores and all models`,
    columns: [
      ...['request', 'alone p50 ms', 'p99 ms', 'processor ms'],
      ...[`${CONNECTIONS} at once p50 ms`, 'p99 ms', 'processor ms'],
    ],
    rows,
    note:
      'Goal: p50 at most 10 ms alone, at most 100 ms of processor. Nothing is cached and no filter repeats; N is another value each time. ' +
      `${counts.alone} requests of a kind alone, then ${counts.together} by ${CONNECTIONS} connections, with a key, without quota.`,
  };
}

interface CaseOptions {
  readonly api: Server;
  readonly counts: typeof REQUESTS;
  readonly headers: Readonly<Record<string, string>>;
}

async function measureCase(
  { name, path }: ListCase,
  { api, counts, headers }: CaseOptions,
): Promise<readonly string[]> {
  const { alone, together } = counts;
  const paths = Array.from({ length: alone + together }, (_, n) => path(n));
  const round = async (some: readonly string[], connections: number) => {
    const before = await api.cpuMs();
    const result = await runLoad({ origin: api.origin, paths: some, headers, connections });
    return cells(result, (await api.cpuMs()) - before);
  };
  const first = await round(paths.slice(0, alone), 1);
  return [`\`${name}\``, ...first, ...(await round(paths.slice(alone), CONNECTIONS))];
}

function cells({ p50Ms, p99Ms, requests }: LoadResult, cpuMs: number): readonly string[] {
  return [p50Ms, p99Ms, cpuMs / requests].map((ms) => ms.toFixed(1));
}
