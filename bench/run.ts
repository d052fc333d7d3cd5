/**
 * `make bench`: what specification "Performance goals" promises of a night and of the API, measured. Prints tables and
 * puts them into bench/RESULTS.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchAccess, createAccess, withoutQuota } from './api/access.ts';
import { measureHistory } from './api/history.ts';
import { measureLists } from './api/lists.ts';
import { measurePaging } from './api/paging.ts';
import type { ApiBenchOptions } from './api/stages.ts';
import { measureSwap } from './api/swap.ts';
import { measureViews } from './api/view.ts';
import { measureWarm } from './api/warm.ts';
import { measurePages } from './console/pages.ts';
import { measureCalls } from './mcp/calls.ts';
import { compareWithFloor, measureChanges, measureStates, type NightBenchOptions } from './night-tables.ts';
import { comparePeers } from './peers/compare-peers.ts';
import { compareReads } from './peers/compare-reads.ts';
import { measureBadges } from './public/badges.ts';
import { markdownFromTable, type ResultTable, recordResults } from './results.ts';
import { measureSync } from './sync/sync.ts';
import { measureDeliveries } from './webhooks/deliveries.ts';

const HELP = `usage: make bench, or npx tsx bench/run.ts [options]
  --scores N[,N…]   sizes of the state (default 1000000); 10000000 takes a quarter of an hour and 10 GB of disk
  --repeats N       nights, or rounds of load, behind each figure (default 3)
  --only NAME       floor, peers, changes, states, or api-warm, api-lists, api-history, api-paging, api-swap,
                    api-view, api-peers; api is all of those; public; webhooks; sync; mcp; console
  --quick           a smoke run: small, one pair, nothing recorded
  --folder DIR      where to generate and publish (default: a new temporary folder; removed in the end)`;

const { values } = parseArgs({
  options: {
    scores: { type: 'string' },
    repeats: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    folder: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

type Bench = () => Promise<ResultTable | readonly ResultTable[]>;

async function run(workFolder: string): Promise<readonly ResultTable[]> {
  const scores = (values.scores ?? (values.quick ? '2000' : '1000000')).split(',').map(Number);
  const largest = Math.max(...scores);
  const repeats = Number(values.repeats ?? (values.quick ? 1 : 3));
  const options = { folder: workFolder, repeats, progress: (text: string) => console.error(text) };
  const benches: Readonly<Record<string, Bench>> = {
    floor: () => compareWithFloor(scores, options),
    // A smoke run fetches nothing.
    peers: () => comparePeers(largest, { ...options, mayInstall: !values.quick }),
    changes: () => measureChanges(largest, values.quick ? [0.01, 1] : [0.001, 0.01, 0.1, 1], options),
    states: () => measureStates(values.quick ? [largest] : [largest / 100, largest / 10, largest], options),
    console: () => measurePages({ ...options, days: values.quick ? 3 : 100, requests: values.quick ? 2 : 50 }),
    webhooks: () => measureDeliveries({ ...options, deliveries: values.quick ? 400 : 20_000 }),
  };
  const tables: ResultTable[] = [];
  for (const [name, bench] of Object.entries({ ...benches, ...apiBenches(largest, options) })) {
    if (values.only === undefined || `${name}-`.startsWith(`${values.only}-`)) tables.push(...[await bench()].flat());
  }
  return tables;
}

function apiBenches(scores: number, nightOptions: NightBenchOptions): Readonly<Record<string, Bench>> {
  let access: Promise<BenchAccess> | undefined;
  const api =
    <T>(measure: (options: ApiBenchOptions) => Promise<T>) =>
    async () => {
      access ??= createAccess(nightOptions.folder);
      return measure({ ...nightOptions, ...(await access), seconds: values.quick ? 0.2 : 5 });
    };
  const history = values.quick ? { series: 200, days: 10 } : { series: 3000, days: 400 };
  return {
    'api-warm': api((options) => measureWarm(scores, options)),
    // What the daily quota costs is in the warm benchmark; here its writes to disk would hide what is measured.
    'api-lists': api((options) => measureLists(scores, withoutQuota(options))),
    'api-history': api((options) => measureHistory(history, withoutQuota(options))),
    'api-paging': api((options) => measurePaging(scores, withoutQuota(options))),
    'api-swap': api((options) => measureSwap(scores, withoutQuota(options))),
    'api-peers': api((options) => compareReads(scores, { ...options, mayInstall: !values.quick })),
    mcp: api((options) => measureCalls(scores, options)),
    public: api((options) => measureBadges(scores, options)),
    sync: api((options) => measureSync(scores, withoutQuota(options))),
    'api-view': api((options) => measureViews(values.quick ? [scores] : [scores / 10, scores], options)),
  };
}

if (values.help) {
  console.log(HELP);
} else {
  const folder = await mkdtemp(join(values.folder ?? tmpdir(), 'modelstats-bench-'));
  try {
    const tables = await run(folder);
    console.log(tables.map(markdownFromTable).join('\n'));
    if (!values.quick) await recordResults(join(import.meta.dirname, 'RESULTS.md'), new Date(), tables);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
