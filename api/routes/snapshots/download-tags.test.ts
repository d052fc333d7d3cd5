import { expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 1), now: '2026-06-03T12:00:00Z' });
const DOWNLOAD = `/v1/snapshots/${SAMPLE_DAYS[0]}/download?dataset=models`;

test('a download address is another one each second, and so is its tag', async () => {
  const ask = async () => {
    const { statusCode, headers, body } = await api.get(DOWNLOAD);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'last-modified': api.clock.now().toUTCString(),
      'cache-control': 'private, max-age=60',
      vary: 'Authorization, accept-encoding',
    });
    return { url: String(JSON.parse(body).url), tag: String(headers.etag) };
  };
  const first = await ask();
  api.clock.advance(1000);
  const second = await ask();
  expect(first.tag).toMatch(/^"[0-9a-f]+"$/);
  expect(second.url).not.toBe(first.url);
  expect(second.tag).not.toBe(first.tag);
  const again = await api.get(DOWNLOAD, { 'if-none-match': second.tag });
  expect([again.statusCode, again.body, again.headers['x-cache']]).toEqual([304, '', 'BYPASS']);
  // A new address is no worse than none: what names no tag has none answered with 304.
  for (const condition of [
    { 'if-none-match': first.tag },
    { 'if-none-match': '*' },
    { 'if-modified-since': api.clock.now().toUTCString() },
  ])
    expect((await api.get(DOWNLOAD, condition)).statusCode).toBe(200);
});
