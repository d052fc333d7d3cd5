import { expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 1), now: '2026-06-03T12:00:00Z' });

test('a download address is another one each time, and so is its tag', async () => {
  const ask = async () => {
    const { statusCode, headers, body } = await api.get(`/v1/snapshots/${SAMPLE_DAYS[0]}/download?dataset=models`);
    expect(statusCode).toBe(200);
    return { url: String(JSON.parse(body).url), tag: String(headers.etag) };
  };
  const first = await ask();
  api.clock.advance(1000);
  const second = await ask();
  expect(first.tag).toMatch(/^"[0-9a-f]+"$/);
  expect(second.url).not.toBe(first.url);
  expect(second.tag).not.toBe(first.tag);
});
