import { gunzipSync } from 'node:zlib';
import type { TestApi } from '../api/testing/test-api.ts';
import { DATASET_NAMES } from '../schemas/datasets.ts';

/** Downloads a snapshot's files through the API: their lines by dataset. */
export async function downloadLines(
  api: Pick<TestApi, 'get' | 'json'>,
  snapshot: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const files = DATASET_NAMES.map(async (name) => {
    const { url } = await api.json(`/v1/snapshots/${snapshot}/download?dataset=${name}`);
    const { pathname, search } = new URL(String(url));
    const text = gunzipSync((await api.get(pathname + search)).rawPayload).toString('utf8');
    return [name, text.split('\n').slice(0, -1)] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}
