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
import { useFetch } from './use-fetch.ts';

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

/**
 * A source that joins a shop, which every night needs, and a mall, whose file is optional and carried, in a store of their own until
 * the test is over. Both serve prices by model: `/shop.json` and `/mall.json`.
 */
export async function useTwoUpstreams() {
  const [place, mall, store] = [await useFetch(), await UpstreamServer.start(), await openTemporaryStore()];
  onTestFinished(store.dispose);
  onTestFinished(() => mall.close());
  const writeSource = ({ sql = TWO_UPSTREAMS_SQL, more = [], off = [] }: SourceChoices) => {
    const upstreams = ['shop', 'mall'].map((id) => {
      const upstream = { id, name: id, url: 'https://upstream.test', redistribution: id === 'shop' };
      return off.includes(id) ? { ...upstream, off: true } : upstream;
    });
    const ofMall = { upstream: 'mall', url: `${mall.url}/mall.json`, file: 'mall.json', optional: true, carry: true };
    const shop = { upstream: 'shop', url: `${place.server.url}/shop.json`, file: 'shop.json' };
    const fetch = [shop, ofMall, ...more.map((entry) => ({ ...ofMall, ...entry }))];
    return place.source([], { 'source.sql': sql, 'source.json': JSON.stringify({ upstreams, fetch }) });
  };
  await writeSource({});
  place.server.serve('/shop.json', { a: 1, b: 2 });
  mall.serve('/mall.json', { b: 5, c: 7 });
  return {
    shop: place.server,
    mall,
    store,
    writeSource,
    root: place.root,
    night: (day: string, { workFolder = store.deps.workFolder, accept = false, now = day } = {}) =>
      runNight(
        { day, source: place.root, dryRun: false, accept, acceptSuspects: [] },
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
  };
}
