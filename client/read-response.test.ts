/** What refusals of the real API become, and answers that are not the API's. */
import { describe, expect, test } from 'vitest';
import { cursorFromSeq } from '../schemas/change.ts';
import { useAnsweringServer } from '../test/support/client/answering-server.ts';
import { QUICK, useService } from '../test/support/client/service.ts';
import { ModelstatsClient } from './client.ts';
import {
  ClientError,
  CursorExpiredError,
  InvalidRequestError,
  NotFoundError,
  NotInPlanError,
  QuotaExceededError,
  RateLimitError,
  UnauthenticatedError,
} from './errors.ts';
import { errorFromResponse } from './read-response.ts';

const service = useService({
  days: async (store) => {
    for (const [day, id] of [
      ['2026-03-31', 'a'],
      ['2026-04-30', 'b'],
      ['2026-06-01', 'c'],
    ] as const) {
      await store.publish(day, { models: [{ id, name: id }] });
    }
    await store.prune({ changesMonths: 1, snapshots: 90, states: 7 });
  },
});
const server = useAnsweringServer();

/** What a call rejects with. */
async function errorOf(call: Promise<unknown>): Promise<ClientError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ClientError) return error;
  throw new Error(`not a ClientError: ${error}`);
}

/** Expects that a call rejects with an error of a kind that has these fields. */
async function expectError(call: Promise<unknown>, kind: typeof ClientError, fields: object): Promise<ClientError> {
  const error = await errorOf(call);
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject(fields);
  return error;
}

/** A client of a new organization. */
const clientOf = async (subscription: Parameters<typeof service.addKey>[0]) =>
  service.client({ key: await service.addKey(subscription), limitWaitMsMax: 1 });

describe('a refusal of the API becomes an error of its kind, with what the API says', () => {
  test.each<[string, () => Promise<unknown>, typeof ClientError, object]>([
    [
      'unauthenticated',
      () => service.client({ key: 'msk_wrong' }).listModels(),
      UnauthenticatedError,
      { name: 'UnauthenticatedError', status: 401, param: null },
    ],
    [
      'feature_not_in_plan',
      async () => (await clientOf({})).getChanges(),
      NotInPlanError,
      { status: 403, plan: 'community' },
    ],
    [
      'history_window_exceeded',
      async () => (await clientOf({ plan: 'builder' })).getRankingsHistory('text', { to: '2020-01-01' }),
      NotInPlanError,
      { param: 'to' },
    ],
    ['not_found', () => service.client().getModel('nobody'), NotFoundError, { status: 404, param: 'id' }],
    [
      'cursor_expired',
      () => service.client().getChanges({ cursor: cursorFromSeq(0) }),
      CursorExpiredError,
      { status: 410, retained_from: expect.stringMatching(/^2026-/) },
    ],
  ])('%s', async (code, call, kind, fields) => {
    await expectError(call(), kind, { code, ...fields });
  });

  test('422, all problems at once', async () => {
    const call = service.client().listScores({ limit: 9000, min_value: Number.NaN });
    const error = await expectError(call, InvalidRequestError, { status: 422, code: 'invalid_request' });
    expect(error.detail.map(({ loc }) => loc.join('.')).sort()).toEqual(['query.limit', 'query.min_value']);
    for (const { loc, msg } of error.detail) expect(error.message).toContain(`${loc.at(-1)}: ${msg}`);
  });

  test('429 of a minute', async () => {
    const client = await clientOf({ plan: 'commercial', contract: { burst_per_minute: 1 } });
    await client.listModels();
    const fields = { code: 'rate_limit_exceeded', limit_type: 'burst', limit_scope: 'organization' };
    const { retry_after_seconds: seconds } = await expectError(client.listModels(), RateLimitError, fields);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  test('429 of the day, which is not tried again', async () => {
    const key = await service.addKey({ plan: 'commercial', contract: { daily_quota: 1 } });
    const retries: unknown[] = [];
    const onRetry = (retry: unknown) => void retries.push(retry);
    const client = new ModelstatsClient({ ...QUICK, url: service.url, key }, { onRetry });
    await client.listModels();
    const fields = { code: 'quota_exceeded', limit_type: 'daily_quota', reset_at: '2026-07-01T00:00:00.000Z' };
    await expectError(client.listModels(), QuotaExceededError, fields);
    expect(retries).toEqual([]);
  });

  test('each with the request id and the page of its code', async () => {
    const error = await errorOf(service.client().getModel('nobody'));
    expect(error.request_id).toMatch(/^[0-9A-Z]{26}$/);
    const page = await fetch(new URL(error.help_url ?? '', service.url));
    expect(page.status).toBe(200);
  });
});

describe("an answer that is not the API's", () => {
  test.each([
    ['nothing', ''],
    ['a page', '<html></html>'],
    ['JSON of another kind', '{"message":"no"}'],
    ['an envelope without a code', '{"error":{"message":"no"}}'],
    ['a list', '[]'],
  ])('is told by its status: %s', (_, body) => {
    const error = errorFromResponse(403, new Headers(), body);
    expect(error).toBeInstanceOf(NotInPlanError);
    expect(error).toMatchObject({ code: 'http_403', message: 'HTTP status 403', status: 403, detail: [] });
  });

  test('does not take the rest along where a field makes no sense', () => {
    const odd = { limit_type: 'weekly', reset_at: 5, retained_from: null, param: ['a'], help_url: {} };
    const body = JSON.stringify({ error: { code: 'new_code', message: 'New', ...odd } });
    const error = errorFromResponse(429, new Headers({ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }), body);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: 'new_code', message: 'New', param: null });
    const fields = [error.limit_type, error.reset_at, error.retained_from, error.help_url, error.retry_after_seconds];
    expect(fields).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test('with 422 in other words is still a refusal', () => {
    const error = errorFromResponse(422, new Headers(), '{"detail":"no"}');
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ code: 'http_422', detail: [] });
  });

  test('has the request id of its header', async () => {
    server.answer((_, response) => {
      response.writeHead(418, { 'x-request-id': '01REQ' });
      response.end();
    });
    const error = await errorOf(service.client({ url: server.url }).listModels());
    expect(error).toMatchObject({ name: 'ClientError', code: 'http_418', request_id: '01REQ' });
  });
});
