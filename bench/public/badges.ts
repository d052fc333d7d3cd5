import { join } from 'node:path';
import { COMPARED_COLUMNS, compareServers } from '../api/compare-servers.ts';
import { type Server, startApi, startBare } from '../api/servers.ts';
import { type ApiBenchOptions, prepareApi } from '../api/stages.ts';
import type { ResultTable } from '../results.ts';

const CONNECTIONS = 16;
const CHANGED = 0.01;
/** As many as a page that compares models has. */
const BADGES_OF_A_PAGE = 50;
/** All that there may be: one address asks for everything. */
const PER_MINUTE = 10_000_000;

/** Badges that are at hand, against bare Fastify sending the same bytes: one, and a page of them, at the first visit and at the next. */
export async function measureBadges(scores: number, options: ApiBenchOptions): Promise<ResultTable> {
  const stage = await prepareApi({ scores, changed: CHANGED }, options);
  const env = { ...options.env, MODELSTATS_PUBLIC_REQUESTS_MAX: String(PER_MINUTE) };
  const api = await startApi({ store: stage.after, view: join(stage.folder, 'view'), env });
  const page = await badgesOf(api, options);
  const [one = ''] = page;
  const rows: (readonly string[])[] = [];
  const plain = { ...options, headers: {} };
  const bare = await startBare({ api, paths: page, headers: {}, folder: stage.folder });
  const tags = await Promise.all(page.map((path) => tagOf(api, path)));
  const add = async (name: string, plan: { readonly paths: readonly string[]; readonly tags?: readonly string[] }) =>
    rows.push([name, ...(await compareServers({ api, bare }, { ...plan, connections: CONNECTIONS }, plain))]);
  await add('a badge', { paths: [one] });
  await add('a badge, 304', { paths: [one], tags: tags.slice(0, 1) });
  await add(`a page of ${page.length} badges`, { paths: page });
  await add('the page again, 304', { paths: page, tags });
  const packed = { ...options, headers: { 'accept-encoding': 'gzip' } };
  const barePacked = await startBare({ api, paths: page, headers: packed.headers, folder: stage.folder });
  const servers = { api, bare: barePacked };
  rows.push(['the page, gzip', ...(await compareServers(servers, { paths: page, connections: CONNECTIONS }, packed))]);
  await Promise.all([api.stop(), bare.stop(), barePacked.stop()]);
  return {
    title: 'Badges, warm, against bare Fastify sending the same bytes',
    columns: ['request', ...COMPARED_COLUMNS],
    rows,
    note:
      `Goal: at least 30 %. No key; the limit per address is counted in memory. ${CONNECTIONS} kept connections; a page of badges is requested in turn, ` +
      `the second time with tags. Medians of ${options.repeats} rounds of ${options.seconds} s.`,
  };
}

async function badgesOf({ origin }: Server, { headers }: ApiBenchOptions): Promise<readonly string[]> {
  const response = await fetch(`${origin}/v1/models?limit=${BADGES_OF_A_PAGE}`, { headers });
  const { models } = (await response.json()) as { readonly models: readonly { readonly id: string }[] }; // As the route has it.
  return models.map(({ id }) => `/badges/models/${encodeURIComponent(id)}.svg?metric=score`);
}

async function tagOf({ origin }: Server, path: string): Promise<string> {
  const response = await fetch(origin + path, { headers: { 'accept-encoding': 'identity' } });
  await response.arrayBuffer();
  return response.headers.get('etag') ?? '';
}
