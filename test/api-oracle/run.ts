/**
 * Compares a running API with the oracle:
 *
 *   npx tsx test/api-oracle/run.ts --url http://127.0.0.1:PORT --requests 1000 --seed 7 --store FOLDER
 *
 * `--days` is the folder of dated folders that the server's store was published from; with `--store` (that file store)
 * the snapshots' compressed sizes and hashes are held to the files, and the files to the oracle, else only their form is
 * checked. Exit code 1 when anything differs, 2 when called wrongly.
 */
import { parseArgs } from 'node:util';
import { dayFromDate, isDay } from '../../schemas/day.ts';
import { createChooser } from '../support/random.ts';
import { REAL_DATA } from '../support/real-data.ts';
import type { ApiState } from './api-state.ts';
import { type ApiReport, checkApi, type Tally } from './check-api.ts';
import { type Client, createClient } from './client.ts';
import { describeDifference } from './compare/difference.ts';
import { replayFeed } from './feed-replay.ts';
import { loadWorld } from './load-world.ts';
import { startOracleServer } from './oracle-server.ts';
import { ROUTES } from './request.ts';
import { compareStoredSnapshots, findStoredFile, readStoredSnapshots } from './stored-snapshots.ts';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    /** Without a URL: the oracle's own server, to try the generator and the comparison. */
    self: { type: 'boolean', default: false },
    requests: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    /** Default: the real days, where they are. */
    days: { type: 'string' },
    today: { type: 'string', default: dayFromDate(new Date()) },
    store: { type: 'string' },
    routes: { type: 'string' },
    /** `Name: value`, as often as needed. */
    header: { type: 'string', multiple: true, default: [] },
    'retained-from': { type: 'string' },
    'skip-replay': { type: 'boolean', default: false },
    show: { type: 'string', default: '10' },
  },
});

process.exitCode = await run();

async function run(): Promise<number> {
  const routes = options.routes?.split(',').map((name) => ROUTES.find((route) => route === name));
  const days = options.days ?? REAL_DATA;
  const isAddressed = options.url !== undefined || options.self;
  if (!isAddressed || days === undefined || routes?.includes(undefined) || !isDay(options.today)) {
    console.error(`usage: --url URL [--requests N] [--seed N] [--days FOLDER] [--today D] [--store FOLDER]
         [--routes ${ROUTES.join(',')}]
         [--header 'Name: value'] [--retained-from D] [--skip-replay] [--show N]`);
    return 2;
  }
  const state = loadState(days);
  const self = options.self
    ? await startOracleServer(state, { files: (hash) => findStoredFile(state.stored, hash) })
    : undefined;
  const client = createClient(options.url ?? self?.url ?? '', headersFrom(options.header));
  const report = await timed('requests', () =>
    checkApi(client, state, {
      count: Number(options.requests),
      seed: Number(options.seed),
      routes: routes?.filter((route) => route !== undefined),
      differencesMax: 200,
    }),
  );
  printReport(report);
  const isStoreRight = compareStore(state);
  const isFeedRight = options['skip-replay'] || (await replay(client, state));
  await self?.stop();
  return report.differences.length === 0 && isStoreRight && isFeedRight ? 0 : 1;
}

function loadState(days: string): ApiState {
  const started = performance.now();
  const world = loadWorld(days);
  const stored = options.store === undefined ? null : readStoredSnapshots(options.store);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const mb = Math.round(process.memoryUsage().rss / 2 ** 20);
  console.log(`the world of ${world.nights.length} nights, ${world.feed.length} events: ${seconds} s, ${mb} MB`);
  return { world, today: options.today, retainedFrom: options['retained-from'] ?? null, stored };
}

function compareStore({ world, stored }: ApiState): boolean {
  if (stored === null) return true;
  const differences = compareStoredSnapshots(world, stored);
  console.log(`the store's snapshots: ${differences.length} of ${stored.size * 5} files differ`);
  for (const difference of differences.slice(0, Number(options.show))) console.log(difference);
  return differences.length === 0;
}

async function replay(client: Client, state: ApiState): Promise<boolean> {
  const { answers, cursors, difference } = await timed('replay', () =>
    replayFeed(client, state, createChooser(Number(options.seed))),
  );
  console.log(`the feed: ${answers} pages, gone on from ${cursors} of ${state.world.nights.length} snapshots`);
  if (difference !== undefined) console.log(describeDifference(difference));
  return difference === undefined;
}

function printReport({ byRoute, byKind, differences }: ApiReport): void {
  for (const [name, tally] of [...byRoute, ...byKind]) console.log(describeTally(name, tally));
  for (const difference of differences.slice(0, Number(options.show))) console.log(describeDifference(difference));
}

function describeTally(name: string, { requests, answers, different, ms }: Tally): string {
  const counts = `${String(requests).padStart(6)} requests ${String(answers).padStart(6)} answers`;
  return `${name.padEnd(18)} ${counts} ${String(different).padStart(5)} different ${(ms / requests).toFixed(1)} ms each`;
}

function headersFrom(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(lines.map((line) => line.split(/:\s*(.*)/s).slice(0, 2)));
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}
