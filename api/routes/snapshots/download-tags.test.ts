import { expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

const NOON = '2026-06-03T12:00:00Z';
const api = useApi({ days: SAMPLE_DAYS.slice(0, 1), now: NOON });
const DOWNLOAD = `/v1/snapshots/${SAMPLE_DAYS[0]}/download?dataset=models`;

/** A download address, with its tag and its date. */
async function ask() {
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
  const first = await ask();
  for (const condition of [
    { 'if-none-match': first.tag },
    { 'if-modified-since': first.date },
    { 'if-none-match': '*' },
  ]) {
    const { statusCode, body, headers } = await api.get(DOWNLOAD, condition);
    expect([statusCode, body, headers.etag], JSON.stringify(condition)).toEqual([304, '', first.tag]);
  }
  api.clock.advance(1000);
  const second = await ask();
  expect(second.url).not.toBe(first.url);
  expect(second.tag).not.toBe(first.tag);
  for (const condition of [{ 'if-none-match': first.tag }, { 'if-modified-since': first.date }]) {
    expect((await api.get(DOWNLOAD, condition)).statusCode, JSON.stringify(condition)).toBe(200);
  }
});

test('a redirect to a file is sent whatever the condition', async () => {
  const { statusCode, headers } = await api.get(`${DOWNLOAD}&redirect=true`, { 'if-none-match': '*' });
  expect([statusCode, headers['cache-control']]).toEqual([302, 'no-store']);
});
