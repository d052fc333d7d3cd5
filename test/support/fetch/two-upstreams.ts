import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runNight } from '../../../pipeline/night/night.ts';
import { verify } from '../../../pipeline/upkeep/verify.ts';
import {
  newestOf,
  readChanges,
  readOpenIntervals,
  readRecords,
  readRelease,
  recordsFrom,
} from '../pipeline/published.ts';
import { openTemporaryStore } from '../pipeline/temporary-store.ts';
import { verifyDeps } from '../pipeline/upkeep.ts';
import { FETCH_SETUP } from './fetch-setup.ts';
import { UpstreamServer } from './upstream-server.ts';

/** Two upstreams fill both datasets; a row of models may come from both. */
export const TWO_UPSTREAMS_SQL = `-- models
SELECT id, any_value(id) AS name, string_agg(upstream, ', ' ORDER BY upstream) AS upstream FROM (
  SELECT unnest(json_keys(json)) AS id, 'shop' AS upstream FROM read_json_objects('shop.json')
  UNION ALL SELECT unnest(json_keys(json)), 'mall' FROM read_json_objects('mall.json'))
GROUP BY id;

-- pricing
SELECT model_id, upstream AS provider, (prices->>model_id)::DOUBLE AS input_per_million, [upstream] AS upstream FROM (
  SELECT unnest(json_keys(json)) AS model_id, json AS prices, 'shop' AS upstream FROM read_json_objects('shop.json')
  UNION ALL SELECT unnest(json_keys(json)), json, 'mall' FROM read_json_objects('mall.json'));
`;

interface SourceChoices {
  readonly sql?: string;
  /** Files of the mall beside its own. */
  readonly more?: readonly object[];
  /** Ids of upstreams that are off. */
  readonly off?: readonly string[];
}

/** Another such place. */
interface Begun {
  readonly root: string;
  readonly shop: UpstreamServer;
  readonly mall: UpstreamServer;
}

/** {@link openTwoUpstreams}, until the test is over. */
export async function useTwoUpstreams(like?: Begun) {
  const place = await openTwoUpstreams(like);
  onTestFinished(place.close);
  return place;
}

/**
 * A source that joins a shop, which every night needs, and a mall, whose file is optional and carried, in a store of their own. Both serve
 * prices by model: `/shop.json` and `/mall.json`. With another such place it begins with the nights of that one, and has its servers, which
 * serve the same as at first.
 */
export async function openTwoUpstreams(like?: Begun) {
  const store = await openTemporaryStore();
  const folder = join(store.folder, '..');
  const root = join(folder, 'source');
  const [shop, mall] = like === undefined ? await startBoth() : [like.shop, like.mall];
  const writeSource = async ({ sql = TWO_UPSTREAMS_SQL, more = [], off = [] }: SourceChoices) => {
    const upstreams = ['shop', 'mall'].map((id) => {
      const upstream = { id, name: id, url: 'https://upstream.test', redistribution: id === 'shop' };
      return off.includes(id) ? { ...upstream, off: true } : upstream;
    });
    const ofMall = { upstream: 'mall', url: `${mall.url}/mall.json`, file: 'mall.json', optional: true, carry: true };
    const ofShop = { upstream: 'shop', url: `${shop.url}/shop.json`, file: 'shop.json' };
    const fetch = [ofShop, ofMall, ...more.map((entry) => ({ ...ofMall, ...entry }))];
    await writeFile(join(root, 'source.json'), JSON.stringify({ upstreams, fetch }));
    await writeFile(join(root, 'source.sql'), sql);
  };
  await mkdir(root);
  await writeSource({});
  shop.serve('/shop.json', { a: 1, b: 2 });
  mall.serve('/mall.json', { b: 5, c: 7 });
  mall.break('/mall.json');
  mall.takeSeen();
  if (like !== undefined) await copyNights(join(like.root, '..'), folder);
  return {
    shop,
    mall,
    store,
    writeSource,
    root,
    night: (day: string, { workFolder = store.deps.workFolder, accept = false, now = day } = {}) =>
      runNight(
        { day, source: root, dryRun: false, accept, acceptSuspects: [] },
        { ...store.deps, workFolder, clock: () => new Date(`${now}T00:05:00Z`), fetching: FETCH_SETUP },
      ),
    verifyAll: () => verify('all', { ...verifyDeps(store.deps.workFolder), store: store.deps.store }),
    newest: async () => {
      const entry = await newestOf(store);
      return {
        release: await readRelease(store, entry),
        pricing: await readRecords(store, 'pricing'),
        changes: (await readChanges(store, entry)).trim(),
        open: recordsFrom(await readOpenIntervals(store, entry)),
      };
    },
    close: async () => {
      await store.dispose();
      if (like === undefined) await Promise.all([shop.close(), mall.close()]);
    },
  };
}

const startBoth = () => Promise.all([UpstreamServer.start(), UpstreamServer.start()]);

/** The work folder has the address of the store that it belongs to. */
async function copyNights(from: string, to: string): Promise<void> {
  for (const name of ['store', 'work']) await cp(join(from, name), join(to, name), { recursive: true });
  const note = join(to, 'work', 'store.json');
  if (existsSync(note)) await writeFile(note, (await readFile(note, 'utf8')).replaceAll(from, to));
}
