/** The ends of what a request may hold (specification "Service limits"; "Validation errors"). */
import { beforeAll, expect, test } from 'vitest';
import { listenOnPort } from '../../test/support/api/listen.ts';
import { requestText, sendRaw } from '../../test/support/api/raw-request.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 1), now: '2026-06-03T12:00:00Z' });
let port: number;
beforeAll(async () => {
  port = await listenOnPort(api.app);
});

async function problemsOf(url: string): Promise<unknown> {
  const response = await api.get(url);
  expect(response.statusCode).toBe(422);
  return response.json().detail;
}

test('a flag that is neither true nor false is told so', async () => {
  const url = `/v1/snapshots/${SAMPLE_DAYS[0]}/download?dataset=models&redirect=`;
  for (const input of ['yes', '1', 'TRUE', 'null'])
    expect(await problemsOf(url + input)).toMatchObject([{ loc: ['query', 'redirect'], type: 'bool_parsing', input }]);
});

test('a list cursor has at most 4096 characters', async () => {
  const typeOf = async (length: number) => problemsOf(`/v1/models?cursor=${'A'.repeat(length)}`);
  expect(await typeOf(4096)).toMatchObject([{ loc: ['query', 'cursor'], type: 'cursor_invalid' }]);
  expect(await typeOf(4097)).toMatchObject([
    { loc: ['query', 'cursor'], type: 'string_too_long', ctx: { max_length: 4096 } },
  ]);
});

test('a body of 64 KiB is ignored, one byte more is too large', async () => {
  const statusWith = async (bytes: number) => {
    const headers = { 'Content-Length': String(bytes), Connection: 'close' };
    return (await sendRaw(port, requestText('/v1/categories', headers, { body: 'x'.repeat(bytes) }))).status;
  };
  expect([await statusWith(64 * 1024), await statusWith(64 * 1024 + 1)]).toEqual([200, 413]);
});
