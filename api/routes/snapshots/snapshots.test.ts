import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { sha256 } from '../../../storage/hash.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { publishSmallDays, SMALL_DAYS } from '../../../test/worlds/small-days.ts';

const DAYS = Object.keys(SMALL_DAYS).slice(0, 3);
const NOON = '2026-06-11T12:00:00Z';
const api = useApi({ days: (store) => publishSmallDays(store, DAYS), now: NOON });

async function listSnapshots(): Promise<readonly Manifest[]> {
  return (await api.json('/v1/snapshots'))['snapshots'] as readonly Manifest[];
}

async function signedUrl(snapshot = DAYS[2], dataset = 'models'): Promise<URL> {
  const { url } = await api.json(`/v1/snapshots/${snapshot}/download?dataset=${dataset}`);
  return new URL(String(url));
}

/** Fetches from the address, without anything of the API's own. */
function fetchFile({ pathname, search }: URL, headers: Record<string, string> = {}) {
  return api.app.inject({ method: 'GET', url: pathname + search, headers });
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
    const file = await fetchFile(new URL(String(download['url'])));
    expect(file.statusCode).toBe(200);
    expect(file.headers).toMatchObject({ 'content-type': 'application/gzip', 'cache-control': 'private, no-store' });
    expect([file.rawPayload.length, sha256(file.rawPayload)]).toEqual([bytes, hash]);
    expect(sha256(gunzipSync(file.rawPayload))).toBe(listed?.content_sha256);
  },
);

test('with redirect=true the answer is a 302 to the file that nobody may keep', async () => {
  const response = await api.get(`/v1/snapshots/${DAYS[0]}/download?dataset=scores&redirect=true`);
  expect(response.statusCode).toBe(302);
  expect(response.headers['cache-control']).toBe('no-store');
  const location = String(response.headers['location']);
  expect((await fetchFile(new URL(location))).statusCode).toBe(200);
  expect(response.json()).toMatchObject({ dataset: 'scores', url: location });
  const plain = await api.get(`/v1/snapshots/${DAYS[0]}/download?dataset=scores&redirect=false`);
  expect([plain.statusCode, plain.headers['x-cache']]).toEqual([200, 'BYPASS']);
});

describe('a signed address', () => {
  test('serves ranges', async () => {
    const url = await signedUrl();
    const whole = (await fetchFile(url)).rawPayload;
    const part = await fetchFile(url, { range: 'bytes=10-19' });
    expect([part.statusCode, part.headers['content-range']]).toEqual([206, `bytes 10-19/${whole.length}`]);
    expect(part.rawPayload).toEqual(whole.subarray(10, 20));
    const rest = await fetchFile(url, { range: 'bytes=20-' });
    expect(rest.rawPayload).toEqual(whole.subarray(20));
    const behind = await fetchFile(url, { range: `bytes=${whole.length}-` });
    expect([behind.statusCode, behind.json().error.code]).toEqual([416, 'range_not_satisfiable']);
  });

  test('is not compressed again, whatever the caller takes', async () => {
    const file = await fetchFile(await signedUrl(), { 'accept-encoding': 'gzip, br' });
    expect(file.headers['content-encoding']).toBeUndefined();
    expect(file.headers['content-length']).toBe(String(file.rawPayload.length));
  });

  test('ends after fifteen minutes', async () => {
    const url = await signedUrl();
    api.clock.set('2026-06-11T12:14:59Z');
    expect((await fetchFile(url)).statusCode).toBe(200);
    api.clock.set('2026-06-11T12:15:00Z');
    const ended = await fetchFile(url);
    api.clock.set(NOON);
    expect(ended.statusCode).toBe(403);
    expect(ended.json().error).toMatchObject({ code: 'signature_invalid', param: null });
  });

  test('is refused once anything in it is altered, or left out', async () => {
    const url = await signedUrl();
    const altered = (change: (other: URL) => void) => {
      const other = new URL(url);
      change(other);
      return other;
    };
    const changes: ((other: URL) => void)[] = [
      (other) => other.searchParams.set('expires', String(Number(other.searchParams.get('expires')) + 1)),
      (other) => other.searchParams.set('signature', `${other.searchParams.get('signature')}A`),
      (other) => other.searchParams.append('signature', 'x'),
      (other) => other.searchParams.delete('signature'),
      (other) => other.searchParams.delete('expires'),
      (other) => (other.search = ''),
      (other) => (other.pathname = other.pathname.replace('models', 'scores')),
      (other) => (other.pathname = '/files/catalog.json'),
      (other) => (other.pathname = '/files/'),
      (other) => (other.pathname = '/files/..%2f..%2fetc%2fpasswd'),
    ];
    for (const change of changes) {
      const response = await fetchFile(altered(change));
      expect(response.statusCode, String(change)).toBe(403);
      expect(response.json().error.code).toBe('signature_invalid');
    }
    expect((await fetchFile(url)).statusCode).toBe(200);
  });
});

test('a snapshot or a dataset that is not there is 404 or 422 with its parameter', async () => {
  for (const id of ['2026-06-05', '2026-06-1', 'x', '2026-06-01.RUN01']) {
    const response = await api.get(`/v1/snapshots/${id}/download?dataset=models`);
    expect([response.statusCode, response.json().error?.param], id).toEqual([404, 'snapshot_id']);
  }
  expect((await api.get(`/v1/snapshots/${DAYS[0]}/download?dataset=changes`)).statusCode).toBe(422);
  expect((await api.get(`/v1/snapshots/${DAYS[0]}/download`)).statusCode).toBe(422);
});

test('the version of the records can be chosen; one that there isn’t is 422', async () => {
  const all = await listSnapshots();
  for (const version of ['1', '1.0']) {
    expect((await api.json(`/v1/snapshots?schema_version=${version}`))['snapshots']).toEqual(all);
    const path = `/v1/snapshots/${DAYS[0]}/download?dataset=models&schema_version=${version}`;
    expect(await api.json(path)).toMatchObject({ dataset: 'models' });
  }
  for (const path of ['/v1/snapshots?', `/v1/snapshots/${DAYS[0]}/download?dataset=models&`]) {
    const response = await api.get(`${path}schema_version=2`);
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({ detail: [{ loc: ['query', 'schema_version'], type: 'enum' }] });
  }
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
