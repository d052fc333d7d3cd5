import { join } from 'node:path';
import { cursorFromSeq } from '../../schemas/change.ts';
import { median, type ResultTable } from '../results.ts';
import type { LoadResult } from './load-plan.ts';
import { runLoad } from './run-load.ts';
import { type Server, startApi, startBare } from './servers.ts';
import { type ApiBenchOptions, type ApiStage, prepareApi } from './stages.ts';

const PAGE = 1000;
/** Pages of other events that each server sends before it is measured: they compile the code that all others run. */
const WARMUP_PAGES = 200;

interface Round {
  readonly api: LoadResult;
  readonly bare: LoadResult;
  readonly apiCpuMs: number;
  readonly bareCpuMs: number;
}

/** As consumers ask for them: HTTP libraries accept gzip unless they are told not to. */
const CODINGS = ['gzip', 'identity'];

/**
 * Specification "Performance goals": the whole feed from its beginning, page by page, against bare Fastify sending the same
 * bytes.
 */
export async function measurePaging(scores: number, options: ApiBenchOptions): Promise<ResultTable> {
  const stage = await prepareApi({ scores, changed: 1 }, options);
  const { first_seq: first, last_seq: last } = stage.release;
  if (first === null) throw new Error('the second day has no events');
  const feed = { paths: pagePaths(first, last), others: pagePaths(1, first - 1).slice(0, WARMUP_PAGES) };
  const rows: string[][] = [];
  for (const coding of CODINGS) {
    const headers = { ...options.headers, 'accept-encoding': coding };
    const rounds = await measureRounds(stage, feed, { ...options, headers });
    rows.push([coding, ...cellsOf(rounds, last - first + 1)]);
  }
  return {
    title: 'Paging the whole feed, cold, against bare Fastify sending the same bytes',
    columns: [
      ...[
        'coding',
        'events',
        'MB',
        'bare MB/s',
        'MB/s',
        'ratio',
        'each pair',
        'events/s',
        'page p50 ms',
        'page p99 ms',
      ],
      ...['bare processor ms a page', 'processor ms a page'],
    ],
    rows,
    note:
      `Goal: at least 50 % of the MB/s. One consumer requests pages of ${PAGE} events in order, each once, after ${WARMUP_PAGES} pages of other events; ` +
      `bare Fastify has them in memory, compressed if so. Medians of ${options.repeats} rounds, with a key, without quota. ` +
      'The feed is that of two nights, the second of which changed every score.',
  };
}

interface Feed {
  readonly paths: readonly string[];
  readonly others: readonly string[];
}

async function measureRounds(
  stage: ApiStage,
  { paths, others }: Feed,
  options: ApiBenchOptions,
): Promise<readonly Round[]> {
  const view = join(stage.folder, 'view');
  const start = () => startApi({ store: stage.after, view, env: options.env });
  const source = await start();
  const bare = await startBare({
    api: source,
    paths: [...others, ...paths],
    headers: options.headers,
    folder: stage.folder,
  });
  await source.stop();
  const rounds: Round[] = [];
  for (let round = 0; round < options.repeats; round += 1) {
    await pageThrough(bare, others, options);
    const before = await pageThrough(bare, paths, options);
    const api = await start();
    await pageThrough(api, others, options);
    const after = await pageThrough(api, paths, options);
    await api.stop();
    rounds.push({ bare: before.result, bareCpuMs: before.cpuMs, api: after.result, apiCpuMs: after.cpuMs });
    options.progress(`  paging: ${ratioOf(rounds.at(-1)).toFixed(2)}`);
  }
  await bare.stop();
  return rounds;
}

/** Those of the pages that have the events from one to another. */
function pagePaths(first: number, last: number): readonly string[] {
  const pages = Math.ceil((last - first + 1) / PAGE);
  return Array.from({ length: pages }, (_, page) => {
    return `/v1/changes?limit=${PAGE}&cursor=${cursorFromSeq(first - 1 + page * PAGE)}`;
  });
}

function cellsOf(rounds: readonly Round[], events: number): readonly string[] {
  const middle = (value: (round: Round) => number) => median(rounds.map(value));
  const ratios = rounds.map(ratioOf);
  return [
    String(events),
    (middle(({ api }) => api.bodyBytes) / 1e6).toFixed(0),
    middle(({ bare }) => megabytesPerSecond(bare)).toFixed(0),
    middle(({ api }) => megabytesPerSecond(api)).toFixed(0),
    median(ratios).toFixed(2),
    ratios.map((ratio) => ratio.toFixed(2)).join(' '),
    middle(({ api }) => (events / api.wallMs) * 1000).toFixed(0),
    middle(({ api }) => api.p50Ms).toFixed(2),
    middle(({ api }) => api.p99Ms).toFixed(2),
    middle(({ bareCpuMs, bare }) => bareCpuMs / bare.requests).toFixed(2),
    middle(({ apiCpuMs, api }) => apiCpuMs / api.requests).toFixed(2),
  ];
}

async function pageThrough(server: Server, paths: readonly string[], { headers }: ApiBenchOptions) {
  const before = await server.cpuMs();
  const result = await runLoad({ origin: server.origin, paths, headers, connections: 1 });
  return { result, cpuMs: (await server.cpuMs()) - before };
}

function ratioOf(round: Round | undefined): number {
  return round === undefined ? Number.NaN : megabytesPerSecond(round.api) / megabytesPerSecond(round.bare);
}

function megabytesPerSecond({ bodyBytes, wallMs }: LoadResult): number {
  return bodyBytes / 1e6 / (wallMs / 1000);
}
