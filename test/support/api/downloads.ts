import { gunzipSync } from 'node:zlib';
import type { TestApi } from './open-api.ts';

/** Asks for a download and follows the address that is answered: the file's text, uncompressed. */
export async function downloadText(api: Pick<TestApi, 'get' | 'json'>, path: string): Promise<string> {
  const { url } = await api.json(path);
  const { pathname, search } = new URL(String(url));
  return gunzipSync((await api.get(pathname + search)).rawPayload).toString('utf8');
}
