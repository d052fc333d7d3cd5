/** The document tells of each answer the headers that it has (specification "Limit headers"). */
import { beforeAll, expect, test } from 'vitest';
import { Documented } from '../../../test/support/api/documented.ts';
import { requestText } from '../../../test/support/api/raw-request.ts';
import { bearer } from '../../../test/support/api/test-accounts.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { HEADERS } from './responses.ts';

const api = useApi({
  days: SAMPLE_DAYS.slice(0, 2),
  now: '2026-06-03T12:00:00Z',
  accounts: {},
  settings: { headersTimeoutMs: 300 },
});
let documented: Documented;
/** Of a key on Commercial, on Community, and of one that has no request left. */
let keys: Readonly<Record<'commercial' | 'community' | 'spent', string>>;

beforeAll(async () => {
  documented = new Documented((await api.get('/openapi.json')).json(), { isClosed: false });
  const { commercial, community } = api.accounts.customers;
  const spent = await api.accounts.add({ contract: { burst_per_minute: 1 } });
  await api.ask(spent, '/v1/models');
  keys = { commercial: commercial.key, community: community.key, spent: spent.key };
});

const MODEL = '/v1/models/{id}';
const DOWNLOAD = '/v1/snapshots/{snapshot_id}/download';
const CLOSE = { Connection: 'close' };
const asked = (target: string, headers: Record<string, string> = {}) => requestText(target, { ...CLOSE, ...headers });
const withKey = (name: keyof typeof keys, target: string, headers: Record<string, string> = {}) =>
  asked(target, { ...bearer(keys[name]), ...headers });

test.each<[number, path: string, text: () => string]>([
  [200, '/v1/models', () => withKey('commercial', '/v1/models')],
  [200, '/v1/account', () => withKey('commercial', '/v1/account')],
  [302, DOWNLOAD, () => withKey('commercial', '/v1/snapshots/2026-06-02/download?dataset=models&redirect=true')],
  [304, '/v1/models', () => withKey('commercial', '/v1/models', { 'If-None-Match': '*' })],
  [400, MODEL, () => withKey('commercial', '/v1/models/%zz')],
  [401, MODEL, () => asked('/v1/models/x')],
  [401, '/v1/account', () => asked('/v1/account', bearer('none'))],
  [403, '/v1/snapshots', () => withKey('community', '/v1/snapshots')],
  [404, MODEL, () => withKey('commercial', '/v1/models/none')],
  [408, MODEL, () => withKey('commercial', '/v1/models/x').slice(0, -2)],
  [413, MODEL, () => withKey('commercial', '/v1/models/x', { 'Content-Length': '100000' })],
  [414, MODEL, () => withKey('commercial', `/v1/models/${'x'.repeat(2401)}`)],
  [422, '/v1/models', () => withKey('commercial', '/v1/models?limit=0')],
  [429, MODEL, () => withKey('spent', '/v1/models/x')],
  [431, MODEL, () => withKey('commercial', '/v1/models/x', { 'X-Large': 'x'.repeat(20_000) })],
])('%d of %s has the headers that are documented, and no limit that is not', async (status, path, text) => {
  const answer = await api.send(text());
  expect(answer.status).toBe(status);
  const operation = documented.operations.find((each) => each.path === path);
  const names = Object.keys(operation?.responses[status]?.headers ?? {}).map((name) => name.toLowerCase());
  const sent = Object.keys(answer.headers);
  expect(names).toContain('x-request-id');
  expect(sent).toEqual(expect.arrayContaining(names));
  const limits = HEADERS.limits.map((name) => name.toLowerCase()).filter((name) => sent.includes(name));
  expect(names).toEqual(expect.arrayContaining(limits));
});
