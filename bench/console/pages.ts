import { cp, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openDatabase } from '../../api/database/open-database.ts';
import { addDays, dayFromDate } from '../../runtime/day.ts';
import { REAL_DATA } from '../../test/support/real-data.ts';
import { startApi } from '../api/servers.ts';
import { measureNode } from '../measure.ts';
import { CLI } from '../night.ts';
import { median, type ResultTable } from '../results.ts';
import { Browser } from './browser.ts';

export interface PagesBenchOptions {
  readonly folder: string;
  /** Days that are published, where the real ones are there. */
  readonly days: number;
  /** How often each page is asked for. */
  readonly requests: number;
  readonly progress: (text: string) => void;
}

const OWNER = 'bench@example.com';
const FIXTURE_DAYS = resolve(import.meta.dirname, '../../fixtures/days');
/** Goals of specification "Performance goals". */
const [P50_MS_MAX, BYTES_MAX] = [50, 100_000];

/** Specification "Performance goals": the console's pages over real days, one person asking for one after the other. */
export async function measurePages({ folder, days, requests, progress }: PagesBenchOptions): Promise<ResultTable> {
  const place = join(folder, 'console');
  const env = {
    MODELSTATS_DATABASE: `sqlite:${join(place, 'accounts.db')}`,
    MODELSTATS_MAIL: join(place, 'mail'),
    MODELSTATS_WORK: join(place, 'work'),
    MODELSTATS_CONSOLE_PAGES_MAX: '100000',
  };
  progress(`publishing ${days} days for the console …`);
  await publish(place, days, env);
  const org = await makeOrganization(env, place);
  const server = await startApi({
    store: join(place, 'store'),
    view: join(place, 'view'),
    env,
    args: ['--with-console'],
  });
  try {
    const browser = new Browser(server.origin);
    await browser.signIn(OWNER, env.MODELSTATS_MAIL);
    const rows: (readonly string[])[] = [];
    for (const path of PAGES) {
      progress(`console ${path} …`);
      rows.push([
        `\`${path || '/'}\``,
        ...(await measurePage(browser, `/orgs/${org}${path}`, { requests, cpuMs: server.cpuMs })),
      ]);
    }
    return {
      title: `Pages of the console, over ${REAL_DATA === undefined ? 'the sample days' : `${days} real days`}`,
      columns: ['page', 'bytes', 'gzip bytes', 'p50 ms', 'p99 ms', 'processor ms'],
      rows,
      note: `Goal: at most ${P50_MS_MAX} ms and ${BYTES_MAX / 1000} KB without the files that a page loads. One request at a time, ${requests} of each; the organization has 5 keys and 90 days of usage on 10 routes.`,
    };
  } finally {
    await server.stop();
  }
}

/** Pages of an organization; the model is one that all real days have, and the sample days as well. */
const PAGES = [
  '',
  '/keys',
  '/usage',
  '/usage?days=30',
  '/data/models',
  '/data/models?sort=-release_date&q=a',
  `/data/models/${REAL_DATA === undefined ? 'aurora-2' : 'gpt-4o'}?days=400`,
  '/data/prices?sort=-price',
  `/data/cost?model=${REAL_DATA === undefined ? 'aurora-2' : 'gpt-4o'}&input=1000&output=100`,
  '/data/rankings?days=400',
  '/data/changes',
  '/data/snapshots',
  '/webhooks',
  '/webhooks/new',
  '/members',
  '/audit',
  '/settings',
] as const;

async function publish(place: string, days: number, env: Readonly<Record<string, string>>): Promise<void> {
  const from = REAL_DATA ?? FIXTURE_DAYS;
  const names = (await readdir(from)).filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name)).sort();
  for (const name of names.slice(-days)) await cp(join(from, name), join(place, 'source', name), { recursive: true });
  const args = [CLI, 'nightly', '--source', join(place, 'source'), '--all-days', '--accept'];
  await measureNode(args, { ...env, MODELSTATS_STORE: `file:${join(place, 'store')}` });
}

/** An organization on Commercial with an owner, keys and usage; its id. */
async function makeOrganization(env: Readonly<Record<string, string>>, place: string): Promise<string> {
  const run = async (...args: readonly string[]) =>
    JSON.parse((await measureNode([CLI, ...args, '--json'], env)).stdout);
  const { id } = await run('orgs', 'create', '--name', 'Bench', '--plan', 'commercial');
  await run('members', 'add', id, OWNER, '--role', 'owner');
  const keys: string[] = [];
  for (let key = 1; key <= 5; key += 1)
    keys.push((await run('keys', 'create', '--org', id, '--name', `key ${key}`)).id);
  await fillUsage(`sqlite:${join(place, 'accounts.db')}`, id, keys);
  return id;
}

/** 90 days of usage by every key on ten routes. */
async function fillUsage(url: string, organizationId: string, keys: readonly string[]): Promise<void> {
  const database = await openDatabase(url);
  const today = dayFromDate(new Date());
  for (let ago = 0; ago < 90; ago += 1) {
    const of = { organization_id: organizationId, day: addDays(today, -ago) };
    const used = { ...of, used: 500 + ago, cap: null, granted: 1 };
    await database.kysely.insertInto('daily_usage').values(used).execute();
    const counted = keys.flatMap((api_key_id) =>
      Array.from({ length: 10 }, (_, route) => ({
        ...of,
        api_key_id,
        route: `/v1/route-${route}`,
        client_source: 'api_key',
        requests: 12,
        units: 10,
        not_modified: 1,
        shared_units: 0,
        rate_limited: 1,
        quota_exceeded: 0,
        client_errors: 0,
        server_errors: 0,
        aborted: 0,
      })),
    );
    await database.kysely.insertInto('request_counts').values(counted).execute();
  }
  await database.close();
}

interface MeasureOptions {
  readonly requests: number;
  readonly cpuMs: () => Promise<number>;
}

async function measurePage(
  browser: Browser,
  path: string,
  { requests, cpuMs }: MeasureOptions,
): Promise<readonly string[]> {
  const plain = await browser.get(path, { 'accept-encoding': 'identity' });
  const bytes = (await plain.arrayBuffer()).byteLength;
  const packed = await browser.get(path, { 'accept-encoding': 'gzip' });
  await packed.arrayBuffer();
  const times: number[] = [];
  const cpuBefore = await cpuMs();
  for (let request = 0; request < requests; request += 1) {
    const startedAt = performance.now();
    await (await browser.get(path)).arrayBuffer();
    times.push(performance.now() - startedAt);
  }
  const cpu = ((await cpuMs()) - cpuBefore) / requests;
  const slowest = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  return [
    String(bytes),
    packed.headers.get('content-length') ?? 'chunked',
    median(times).toFixed(1),
    slowest.toFixed(1),
    cpu.toFixed(1),
  ];
}
