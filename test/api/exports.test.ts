/** Exports (specification "Exports"): `latest` without a key, days with one. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { usePublic } from '../support/site/use-public.ts';
import { CUTOVER, DAYS, LAST, MOVED, publishRatedDays } from '../worlds/rated-days.ts';

const NAMES = ['litellm.json', 'models-dev.json', 'prices.csv'] as const;
const NOON = '2027-02-10T12:00:00Z';
const api = usePublic({ days: (store) => publishRatedDays(store), now: NOON });

test('debug', async () => {
  for (const name of NAMES) {
    const r = await api.get(`/v1/exports/latest/${name}`);
    console.log(r.statusCode, r.headers, r.body);
  }
  const r = await api.ask(api.accounts.customers.commercial, `/v1/exports/${LAST}/litellm.json`);
  console.log(r.statusCode, r.headers, r.body);
});
