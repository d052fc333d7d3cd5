import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { times } from '../../../test/support/accounts/subject.ts';
import { LIMIT_HEADERS, namesAmong } from '../../../test/support/api/answers.ts';
import type { TestApi } from '../../../test/support/api/open-api.ts';
import { bearer } from '../../../test/support/api/test-accounts.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { API_KEYS } from '../../accounts/organizations/token-form.ts';
import type { ApiSettings } from '../app.ts';
import { limitFailedAttempts } from '../bind-access.ts';

const shared = useApi({ days: SAMPLE_DAYS, accounts: {} });
afterEach(() => void vi.useRealTimers());

/** A fresh API, whose memory of addresses is empty. */
function start(settings: Partial<ApiSettings> = {}): Promise<TestApi> {
  return openOwnApi({ store: shared.store.url, accounts: {}, settings });
}

interface From {
  readonly address?: string;
  readonly headers?: Record<string, string>;
  readonly url?: string;
}

async function attempt(api: TestApi, { address = '192.0.2.1', headers = {}, url = '/v1/models' }: From = {}) {
  return api.app.inject({ url, remoteAddress: address, headers });
}

/** The statuses of so many attempts. */
async function attempts(api: TestApi, count: number, from: (index: number) => From = () => ({})): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await attempt(api, from(index))).statusCode);
  return statuses;
}

const SIXTY_REFUSED = Array(60).fill(401);

describe('Before authentication (specification "Attempts without a key")', () => {
  test('60 failures a minute and address get 401, then 429 with Retry-After, on whatever route and with whatever key', async () => {
    const api = await start();
    const clients: readonly From[] = [
      {},
      { url: '/v1/nothing' },
      { headers: bearer('x') },
      { headers: bearer(API_KEYS.fromBytes(randomBytes(32))) },
    ];
    expect(await attempts(api, 60, (index) => clients[index % clients.length] ?? {})).toEqual(SIXTY_REFUSED);
    for (const client of clients) {
      const response = await attempt(api, client);
      expect(response.statusCode).toBe(429);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(response.json().error).toMatchObject({ code: 'rate_limit_exceeded', limit_type: 'burst', param: null });
      expect(response.json().error.plan).toBeUndefined();
      expect(Date.parse(response.json().error.reset_at)).toBeGreaterThan(Date.now());
      expect(namesAmong([...LIMIT_HEADERS, 'www-authenticate'], response)).toEqual([]);
    }
  });

  test('of 100 at the same moment exactly 60 get 401', async () => {
    const api = await start();
    const statuses = await times(100, async () => (await attempt(api)).statusCode);
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });

  test('a valid key at the same address still works, and its own limits are untouched', async () => {
    const api = await start();
    await attempts(api, 70);
    const { community } = api.accounts.customers;
    const response = await attempt(api, { headers: bearer(community.key) });
    expect([response.statusCode, response.headers['x-ratelimit-remaining'], response.headers['x-quota-used']]).toEqual([
      200,
      '59',
      '1',
    ]);
  });

  test('after a minute it is 401 again', async () => {
    const api = await start();
    vi.useFakeTimers({ toFake: ['Date'] });
    expect((await attempts(api, 61)).at(-1)).toBe(429);
    vi.advanceTimersByTime(60_000);
    expect((await attempt(api)).statusCode).toBe(401);
  });

  test('IPv6 is counted by /64, IPv4 in IPv6 by its own address', async () => {
    const api = await start();
    const inOneNetwork = (index: number) => ({ address: `2001:db8:0:1::${index.toString(16)}` });
    expect((await attempts(api, 61, inOneNetwork)).at(-1)).toBe(429);
    expect((await attempt(api, { address: '2001:db8:0:2::1' })).statusCode).toBe(401);
    expect((await attempts(api, 61, () => ({ address: '::ffff:192.0.2.7' }))).at(-1)).toBe(429);
    expect((await attempt(api, { address: '::ffff:192.0.2.8' })).statusCode).toBe(401);
    expect((await attempt(api, { address: '192.0.2.7' })).statusCode).toBe(429);
  });

  test('X-Forwarded-For of strangers is not believed: a new address in it frees nobody', async () => {
    const api = await start();
    const forged = (index: number) => ({
      headers: { 'x-forwarded-for': `198.51.100.${index}`, forwarded: `for=198.51.100.${index}` },
    });
    expect((await attempts(api, 61, forged)).at(-1)).toBe(429);
    const behind = await start({ trustedProxies: ['10.0.0.0/8'] });
    expect((await attempts(behind, 61, forged)).at(-1)).toBe(429);
  });

  test('a trusted proxy’s X-Forwarded-For names the client; what the client itself put before it does not', async () => {
    const api = await start({ trustedProxies: ['10.0.0.0/8'] });
    const from = (client: string, forged: string) => ({
      address: '10.1.2.3',
      headers: { 'x-forwarded-for': `${forged}, ${client}` },
    });
    expect((await attempts(api, 61, (index) => from('198.51.100.1', `203.0.113.${index}`))).at(-1)).toBe(429);
    expect((await attempt(api, from('198.51.100.2', '198.51.100.1'))).statusCode).toBe(401);
    expect((await attempt(api, from('10.9.9.9', '198.51.100.1'))).statusCode).toBe(429);
  });

  test('a forwarded address that is none does no harm', async () => {
    const api = await start({ trustedProxies: ['10.0.0.0/8'] });
    for (const text of ['unknown', '_hidden', '', ',,', '::1%eth0', '1.2.3.4:5678', 'x'.repeat(5_000)])
      expect([
        text,
        (await attempt(api, { address: '10.1.2.3', headers: { 'x-forwarded-for': text } })).statusCode,
      ]).toEqual([text, 401]);
  });

  test('a flood of addresses does not make the attacker’s be forgotten at once: 20,000 are remembered', async () => {
    const api = await start();
    await attempts(api, 60);
    const octets = (index: number) => ({ address: `203.${index >> 16}.${(index >> 8) & 255}.${index & 255}` });
    await attempts(api, 6_000, octets);
    expect((await attempt(api)).statusCode).toBe(429);
  }, 60_000);

  test('a client that has hung up, whose address is gone with it, is no error', async () => {
    const app = fastify();
    const count = await limitFailedAttempts(app, { max: 1, addressesMax: 10, refusal: () => new Error('refused') });
    await expect(count(undefined)).resolves.toBeUndefined();
    await app.close();
  });

  test('routes outside of /v1 don’t count, nor does a valid key', async () => {
    const api = await start();
    await attempts(api, 30, () => ({ url: '/nothing' }));
    await attempts(api, 30, () => ({ headers: bearer(api.accounts.customers.builder.key) }));
    expect(await attempts(api, 60)).toEqual(SIXTY_REFUSED);
  });
});
