import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY) });
test('x', async () => {
  for (const path of ['/v1/models?format=csv&limit=2','/v1/scores?format=csv&limit=3','/v1/categories?format=csv','/v1/snapshots?format=csv','/v1/sources?format=csv','/v1/models/a/history?kind=score&format=csv','/v1/models?format=xml&limit=0', '/v1/models?format=csv&format=json','/v1/updates?format=csv', '/v1/pricing?format=csv']) {
    const r = await api.get(path);
    console.log(path, r.statusCode, r.headers, '\n' + r.body);
  }
});
