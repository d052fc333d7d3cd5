/**
 * The headers of every response (specification "Health and metrics"; specification "Limit headers"), and that the OpenAPI
 * document describes them.
 */
import { decodeTime } from 'ulid';
import { beforeAll, expect, test } from 'vitest';
import { Documented } from '../../test/support/api/documented.ts';
import { requestText } from '../../test/support/api/raw-request.ts';
import { bearer } from '../../test/support/api/test-accounts.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';
import { HEADERS } from './openapi/responses.ts';

const api = useApi({
  days: SAMPLE_DAYS,
  accounts: {},
  settings: { headersTimeoutMs: 300, metricsAccess: { token: undefined, isOpen: true } },
});
const DOWNLOAD = `/v1/snapshots/${SAMPLE_DAYS[2]}/download?dataset=models`;
const MODEL = '/v1/models/{id}';
const MANY_HEADERS = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`x-${i}`, '1']));
const PREFLIGHT = { 'access-control-request-method': 'GET' };

let documented: Documented;
/** Of a key on Builder, on Community, and of one that has no request left. */
let keys: Readonly<Record<'builder' | 'community' | 'spent', string>>;
/** The address of a file, as a redirect tells it. */
let file: string;

beforeAll(async () => {
  documented = new Documented((await api.get('/openapi.json')).json(), { isClosed: false });
  const { builder, community } = api.accounts.customers;
  const spent = await api.accounts.add({ contract: { burst_per_minute: 1 } });
  await api.ask(spent, '/v1/models');
  keys = { builder: builder.key, community: community.key, spent: spent.key };
  const { headers } = await api.ask(builder, `${DOWNLOAD}&redirect=true`);
  const { pathname, search } = new URL(String(headers.location));
  file = pathname + search;
});

interface Asked {
  /** Whose key is sent; none where absent. */
  readonly by?: keyof typeof keys;
  /** The path of the operation in the document; not compared where absent. */
  readonly operation?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the head of the request does not end. */
  readonly isCut?: boolean;
}

test.each<readonly [status: number, target: string, asked: Asked]>([
  [200, '/v1/models', { by: 'builder', operation: '/v1/models' }],
  [200, '/v1/models', { by: 'builder', method: 'HEAD' }],
  [200, '/v1/account', { by: 'builder', operation: '/v1/account' }],
  [302, `${DOWNLOAD}&redirect=true`, { by: 'builder', operation: '/v1/snapshots/{snapshot_id}/download' }],
  [304, '/v1/models', { by: 'builder', operation: '/v1/models', headers: { 'If-None-Match': '*' } }],
  [400, '/v1/models/%zz', { by: 'builder', operation: MODEL }],
  [400, '/%zz', {}],
  [401, '/v1/models/x', { operation: MODEL }],
  [401, '/v1/nothing', { method: 'OPTIONS' }],
  [403, '/v1/snapshots', { by: 'community', operation: '/v1/snapshots' }],
  [403, '/files/x?expires=1&signature=x', {}],
  [404, '/v1/models/none', { by: 'builder', operation: MODEL }],
  [404, '/nothing', {}],
  [405, '/v1/models', { by: 'builder', method: 'POST' }],
  [405, '/v1/models', { by: 'builder', method: 'OPTIONS', headers: PREFLIGHT }],
  [408, '/v1/models/x', { by: 'builder', operation: MODEL, isCut: true }],
  [413, '/v1/models/x', { by: 'builder', operation: MODEL, headers: { 'Content-Length': '100000' } }],
  [414, '/v1/models/LONG', { by: 'builder', operation: MODEL }],
  [422, '/v1/models?limit=0', { by: 'builder', operation: '/v1/models' }],
  [429, '/v1/models/x', { by: 'spent', operation: MODEL }],
  [431, '/v1/models/x', { by: 'builder', operation: MODEL, headers: { 'X-Large': 'x'.repeat(20_000) } }],
  [431, '/v1/models', { by: 'builder', headers: MANY_HEADERS }],
  [200, 'FILE', {}],
  [200, '/health/live', {}],
  [200, '/health/ready', {}],
  [200, '/metrics', {}],
  [200, '/openapi.json', {}],
  [200, '/docs/reference', {}],
  [200, '/docs/reference/static/scalar.js', {}],
  [200, '/docs/errors', {}],
  [200, '/docs/errors/not_found', {}],
])(
  '%d of %s has an id of its own, a ULID of this moment, and the headers against misuse in browsers',
  async (...row) => {
    const [status, target, { by, operation: path, method = 'GET', headers = {}, isCut = false }] = row;
    const own = { Connection: 'close', 'X-Request-ID': 'mine', 'Request-ID': 'mine', Origin: 'https://app.test' };
    const key = by === undefined ? {} : bearer(keys[by]);
    const text = requestText(
      target.replace('FILE', file).replace('LONG', 'x'.repeat(2_401)),
      { ...own, ...key, ...headers },
      { method },
    );
    const ask = () => api.send(isCut ? text.slice(0, -2) : text);
    const startedAt = Date.now();
    const [response, other] = [await ask(), await ask()];
    expect(response.status).toBe(status);
    const id = String(response.headers['x-request-id']);
    expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/); // Crockford's base 32, of 48 bits of time and 80 random ones.
    expect(decodeTime(id)).toBeGreaterThanOrEqual(startedAt);
    expect(decodeTime(id)).toBeLessThanOrEqual(Date.now());
    expect(other.headers['x-request-id']).not.toBe(id);
    const sent = Object.keys(response.headers);
    // No page of another site reads data.
    if (target.startsWith('/v1')) expect(sent.filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(response.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-site',
      'strict-transport-security': expect.stringContaining('max-age='),
    });
    if (path === undefined) return;
    const operation = documented.operations.find((each) => each.path === path);
    const names = Object.keys(operation?.responses[status]?.headers ?? {}).map((name) => name.toLowerCase());
    expect(names).toContain('x-request-id');
    expect(sent, 'has the headers that are documented').toEqual(expect.arrayContaining(names));
    const limits = HEADERS.limits.map((name) => name.toLowerCase()).filter((name) => sent.includes(name));
    expect(names, 'has no limit that is not').toEqual(expect.arrayContaining(limits));
  },
);
