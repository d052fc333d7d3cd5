import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { sha256 } from '../../../storage/hash.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { publishSmallDays, SMALL_DAYS } from '../../../test/worlds/small-days.ts';

const DAYS = Object.keys(SMALL_DAYS).slice(0, 3);
const NOON = '2026-06-11T12:00:00Z';
const DOWNLOAD = `/v1/snapshots/${DAYS[0]}/download?dataset=models`;
const api = useApi({ days: (store) => publishSmallDays(store, DAYS), now: NOON });

async function listSnapshots(): Promise<readonly Manifest[]> {
  return (await api.json('/v1/snapshots'))['snapshots'] as readonly Manifest[];
}

async function signedUrl(snapshot = DAYS[2], dataset = 'models'): Promise<URL> {
  const { url } = await api.json(`/v1/snapshots/${snapshot}/download?dataset=${dataset}`);
  return new URL(String(url));
}

/** Fetches from the address, without anything of the API's own. */
function fetchFile({ pathname, search }: URL) {
  return api.app.inject({ method: 'GET', url: pathname + search });
}

test('snapshots are listed newest first, with the manifest as it was published', async () => {
  const snapshots = await listSnapshots();
  expect(snapshots.map(({ id }) => id)).toEqual([...DAYS].reverse());
  expect(snapshots[0]).toMatchObject({ prev_id: DAYS[1], schema_version: '1.0' });
  expect(snapshots[0]?.datasets.map(({ name }) => name)).toEqual([...DATASET_NAMES]);
  expect(snapshots[2]?.prev_id).toBeNull();
});

test.each(DATASET_NAMES)(
  'the address of %s gives the file of the manifest, byte for byte, without a key',
  async (name) => {
    const [newest] = await listSnapshots();
    const listed = newest?.datasets.find((dataset) => dataset.name === name);
    const download = await api.json(`/v1/snapshots/${newest?.id}/download?dataset=${name}`);
    const { bytes, sha256: hash } = listed ?? {};
    expect(download).toEqual({
      dataset: name,
      url: expect.any(String),
      expires_at: '2026-06-11T12:15:00Z',
      bytes,
      sha256: hash,
    });
    const address = new URL(String(download['url']));
    expect(Number(address.searchParams.get('expires')) * 1000).toBe(Date.parse('2026-06-11T12:15:00Z'));
    const file = await fetchFile(address);
    expect(file.statusCode).toBe(200);
    expect(file.headers).toMatchObject({
      'content-type': 'application/gzip',
      'cache-control': 'private, no-store',
      'content-disposition': `attachment; filename="${name}.jsonl.gz"`,
      'accept-ranges': 'bytes',
      'content-length': String(bytes),
      etag: `"${hash}"`,
    });
    expect([file.rawPayload.length, sha256(file.rawPayload)]).toEqual([bytes, hash]);
    expect(sha256(gunzipSync(file.rawPayload))).toBe(listed?.content_sha256);
  },
);

test('with redirect=true the answer is a 302 to the file that nobody may keep, whatever the condition', async () => {
  const path = `/v1/snapshots/${DAYS[0]}/download?dataset=scores&redirect=true`;
  const response = await api.get(path, { 'if-none-match': '*' });
  expect(response.statusCode).toBe(302);
  expect(response.headers['cache-control']).toBe('no-store');
  const location = String(response.headers['location']);
  expect((await fetchFile(new URL(location))).statusCode).toBe(200);
  expect(response.json()).toMatchObject({ dataset: 'scores', url: location });
  const plain = await api.get(`/v1/snapshots/${DAYS[0]}/download?dataset=scores&redirect=false`);
  expect([plain.statusCode, plain.headers['x-cache']]).toEqual([200, 'BYPASS']);
});

test('a file that is lost is 404 until it is republished, and then the same bytes', async () => {
  const url = await signedUrl(DAYS[1], 'scores');
  const before = (await fetchFile(url)).rawPayload;
  await rm(join(api.store.folder, decodeURIComponent(url.pathname).slice('/files/'.length)));
  const lost = await fetchFile(url);
  expect([lost.statusCode, lost.json().error.code]).toEqual([404, 'not_found']);
  await api.store.republish(DAYS[1] ?? '');
  expect((await fetchFile(await signedUrl(DAYS[1], 'scores'))).rawPayload).toEqual(before);
});

/** A download address, with its tag and its date. */
async function askDownload() {
  const { statusCode, headers, body } = await api.get(DOWNLOAD);
  expect(statusCode).toBe(200);
  expect(headers).toMatchObject({
    'last-modified': api.clock.now().toUTCString(),
    'cache-control': 'private, max-age=60',
    vary: 'Authorization, accept-encoding',
    'x-cache': 'BYPASS',
  });
  return { url: String(JSON.parse(body).url), tag: String(headers.etag), date: String(headers['last-modified']) };
}

test('a download address is another one each second, with another tag and date, so that none that may have expired is 304', async () => {
  const first = await askDownload();
  for (const condition of [
    { 'if-none-match': first.tag },
    { 'if-modified-since': first.date },
    { 'if-none-match': '*' },
  ]) {
    const { statusCode, body, headers } = await api.get(DOWNLOAD, condition);
    expect([statusCode, body, headers.etag], JSON.stringify(condition)).toEqual([304, '', first.tag]);
  }
  api.clock.advance(1000);
  const second = await askDownload();
  expect(second.url).not.toBe(first.url);
  expect(second.tag).not.toBe(first.tag);
  for (const condition of [{ 'if-none-match': first.tag }, { 'if-modified-since': first.date }]) {
    expect((await api.get(DOWNLOAD, condition)).statusCode, JSON.stringify(condition)).toBe(200);
  }
  api.clock.set(NOON);
});

test('a snapshot that is pruned is gone from the list and from download', async () => {
  const url = await signedUrl(DAYS[0]);
  await api.store.prune({ changesMonths: 13, snapshots: 1, states: 7 });
  await api.follower.refresh();
  expect((await listSnapshots()).map(({ id }) => id)).toEqual([DAYS[2]]);
  const gone = await api.get(`/v1/snapshots/${DAYS[0]}/download?dataset=models`);
  expect([gone.statusCode, gone.json().error.param]).toEqual([404, 'snapshot_id']);
  const file = await fetchFile(url);
  expect([file.statusCode, file.json().error.code]).toEqual([404, 'not_found']);
});
