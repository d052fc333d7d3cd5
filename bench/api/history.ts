import { join } from 'node:path';
import { addDays } from '../../runtime/day.ts';
import { measureScript } from '../measure.ts';
import { median, type ResultTable } from '../results.ts';
import { FIRST_HISTORY_DAY, historyPath } from './history-names.ts';
import { runLoad } from './run-load.ts';
import { startApi } from './servers.ts';
import type { ApiBenchOptions } from './stages.ts';

/** Coprime to every number of series in use, so that neighbours in the table are not asked for one after the other. */
const STRIDE = 1237;

export interface HistorySize {
  readonly series: number;
  readonly days: number;
}

/** Specification "Performance goals": the whole history of one series of one model, none asked for twice. */
export async function measureHistory({ series, days }: HistorySize, options: ApiBenchOptions): Promise<ResultTable> {
  const folder = join(options.folder, 'api-history');
  options.progress(`api: composing a history of ${series * days} intervals`);
  await measureScript('bench/api/history-view.ts', [folder, String(series), String(days)], {});
  const lastDay = addDays(FIRST_HISTORY_DAY, days - 1);
  const paths = Array.from({ length: series }, (_, i) => historyPath((i * STRIDE) % series, lastDay));
  const rows: (readonly string[])[] = [];
  for (const connections of [1, 8]) {
    const rounds: Awaited<ReturnType<typeof runLoad>>[] = [];
    for (let round = 0; round < options.repeats; round += 1) {
      const api = await startApi({ store: join(folder, 'store'), view: join(folder, 'view'), env: options.env });
      // The first requests compile the code that all others run.
      await runLoad({ origin: api.origin, paths: paths.slice(0, 100), headers: options.headers, connections });
      rounds.push(
        await runLoad({ origin: api.origin, paths: paths.slice(100), headers: options.headers, connections }),
      );
      await api.stop();
    }
    const middle = (value: (result: (typeof rounds)[number]) => number) => median(rounds.map(value));
    rows.push([
      String(connections),
      String(series * days),
      String(days),
      middle(({ bodyBytes, requests }) => bodyBytes / requests).toFixed(0),
      middle(({ p50Ms }) => p50Ms).toFixed(2),
      middle(({ p99Ms }) => p99Ms).toFixed(2),
      middle(({ maxMs }) => maxMs).toFixed(1),
      middle(({ requests, wallMs }) => (requests / wallMs) * 1000).toFixed(0),
    ]);
  }
  return {
    title: "One model's history, a series at a time, cold",
    columns: ['requests at once', 'intervals', 'points', 'bytes', 'p50 ms', 'p99 ms', 'largest ms', 'requests/s'],
    rows,
    note:
      `Goal, one request at once: p50 at most 1.5 ms, p99 at most 15 ms. Each of ${series} series is requested once; every point is an ` +
      `interval of its own. Medians of ${options.repeats} rounds, with a key, without quota.`,
  };
}
