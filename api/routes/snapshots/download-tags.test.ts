import { expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 1), now: '2026-06-03T12:00:00Z' });
const DOWNLOAD = `/v1/snapshots/${SAMPLE_DAYS[0]}/download?dataset=models`;

test('a download address is made anew, without a tag or a date, and no condition keeps it back', async () => {
  const ask = async (headers: Readonly<Record<string, string>> = {}) => {
    const answer = await api.get(DOWNLOAD, headers);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, max-age=60',
      vary: 'Authorization, accept-encoding',
      'x-cache': 'BYPASS',
    });
    expect([answer.headers.etag, answer.headers['last-modified']]).toEqual([undefined, undefined]);
    return String(JSON.parse(answer.body).url);
  };
  const first = await ask();
  // A 304 would tell of an address that may have expired.
  for (const condition of [
    { 'if-none-match': '"any"' },
    { 'if-none-match': '*' },
    { 'if-modified-since': api.clock.now().toUTCString() },
  ])
    expect(await ask(condition)).toBe(first);
  api.clock.advance(1000);
  expect(await ask()).not.toBe(first);
  const redirected = await api.get(`${DOWNLOAD}&redirect=true`);
  expect([redirected.statusCode, redirected.headers['cache-control'], redirected.headers.etag]).toEqual([
    302,
    'no-store',
    undefined,
  ]);
});
