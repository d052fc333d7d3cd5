import { gunzipSync } from 'node:zlib';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { TestApi } from './open-api.ts';

type Api = Pick<TestApi, 'get' | 'json'>;

/** Asks for a download and follows the address that is answered: the file's text, uncompressed. */
export async function downloadText(api: Api, path: string): Promise<string> {
  const { url } = await api.json(path);
  const { pathname, search } = new URL(String(url));
  return gunzipSync((await api.get(pathname + search)).rawPayload).toString('utf8');
}

/** Downloads all files of a snapshot: their lines by dataset. */
export async function downloadLines(api: Api, snapshot: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const files = DATASET_NAMES.map(async (name) => {
    const text = await downloadText(api, `/v1/snapshots/${snapshot}/download?dataset=${name}`);
    return [name, text.split('\n').slice(0, -1)] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}
