import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../../runtime/day.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { LIMIT_HEADERS, namesAmong, steadyError, steadyHeaders } from '../../../test/support/api/answers.ts';
import type { TestApi } from '../../../test/support/api/open-api.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { effectiveTerms, NO_BONUS, NO_SUBSCRIPTION, type Subscription } from '../../accounts/organizations/terms.ts';
import {
  ALL_RIGHTS,
  type CapabilityStates,
  capabilitiesFromText,
  isLive,
  type Rights,
  rightsTag,
  visibleSnapshots,
} from './rights.ts';

const TODAY: Day = '2026-06-30';
/** Every day of two years up to yesterday, oldest first. */
const DAYS: readonly Day[] = Array.from({ length: 730 }, (_, index) => addDays(TODAY, index - 730));

function rightsOf(subscription: Partial<Subscription>): Rights {
  const terms = effectiveTerms({ ...NO_SUBSCRIPTION, ...subscription }, NO_BONUS, new Date(`${TODAY}T12:00:00Z`));
  const { plan, snapshots, historyMonths } = terms;
  return { plan, snapshots, historyMonths };
}

function seen(rights: Rights, days = DAYS): readonly string[] {
  const manifests = days.map((id) => ({ id }) as Manifest); // Nothing else is looked at.
  return visibleSnapshots(manifests, rights, TODAY).map(({ id }) => id);
}

/** The last stored day of each month. */
function monthEnds(days: readonly Day[]): readonly Day[] {
  return days.filter((day, index) => days[index + 1]?.slice(0, 7) !== day.slice(0, 7));
}

describe('Plan table: bulk snapshots', () => {
  test('Community sees none, Builder the latest only', () => {
    expect(seen(rightsOf({}))).toEqual([]);
    expect(seen(rightsOf({ plan: 'builder' }))).toEqual(['2026-06-29']);
    expect(seen(rightsOf({ plan: 'builder' }), [])).toEqual([]);
  });

  test('without accounts everything is seen', () => {
    expect(seen(ALL_RIGHTS)).toEqual(DAYS.toReversed());
  });

  test('Commercial sees the last 90 and all month-ends, newest first', () => {
    const expected = new Set([...DAYS.slice(-90), ...monthEnds(DAYS)]);
    expect(seen(rightsOf({ plan: 'commercial' }))).toEqual(DAYS.filter((day) => expected.has(day)).toReversed());
    // The last stored day of a month, where its last day has none.
    const gapped = seen(
      rightsOf({ plan: 'commercial' }),
      DAYS.filter((day) => day !== '2026-01-31'),
    );
    expect(gapped).toContain('2026-01-30');
  });

  test('a contract’s months bound the month-ends, not the newest', () => {
    const oneMonth = seen(rightsOf({ plan: 'commercial', contract: { history_months: 1 } }));
    expect(oneMonth).toEqual(DAYS.slice(-90).toReversed());
    const year = seen(rightsOf({ plan: 'commercial', contract: { history_months: 12, snapshots_newest: 2 } }));
    expect(year).toHaveLength(2 + 12);
    expect(year.at(-1)).toBe('2025-06-30');
  });

  test('a contract can leave month-ends out, or ask for more than there are', () => {
    const contract = { snapshots_newest: 3, snapshots_month_ends: false };
    expect(seen(rightsOf({ plan: 'commercial', contract }))).toEqual(DAYS.slice(-3).toReversed());
    expect(seen(rightsOf({ plan: 'commercial', contract: { snapshots_newest: 10_000 } }))).toHaveLength(DAYS.length);
    expect(seen(rightsOf({ plan: 'commercial', contract: { snapshots_newest: 0 } }))).toEqual(
      monthEnds(DAYS).toReversed(),
    );
  });
});

test('rights that differ have tags that differ, the same rights the same', () => {
  const snapshots = [
    null,
    { newest: 1, monthEnds: false },
    { newest: 1, monthEnds: true },
    { newest: 11, monthEnds: true },
  ];
  const all = [null, 'community', 'builder'].flatMap((plan) =>
    [1, 12, 121].flatMap((historyMonths) => snapshots.map((access) => ({ plan, historyMonths, snapshots: access }))),
  );
  expect(new Set(all.map(rightsTag)).size).toBe(all.length);
  expect(all.map((rights) => rightsTag(structuredClone(rights)))).toEqual(all.map(rightsTag));
});

const shared = useApi({ days: SAMPLE_DAYS, accounts: {} });

function openWith(capabilities: CapabilityStates): Promise<TestApi> {
  return openOwnApi({ store: shared.store.url, accounts: {}, settings: { capabilities } });
}

/** Everything of an answer that isn't new each time. */
function appearance(response: LightMyRequestResponse): unknown {
  return { status: response.statusCode, headers: steadyHeaders(response), error: steadyError(response) };
}

const ALL_OFF: CapabilityStates = { history: 'planned', snapshots: 'planned', changes: 'planned', account: 'planned' };
const PLANNED = [
  '/v1/account',
  '/v1/changes?limit=x',
  '/v1/snapshots',
  '/v1/snapshots/2026-06-03/download',
  '/v1/rankings/history',
  '/v1/models/aurora-2/history',
  `/v1/models/${'x'.repeat(2_500)}/history`,
];

const CURIOUS = { 'accept-encoding': 'gzip', 'if-none-match': '*', 'idempotency-key': 'x'.repeat(200) };
const REQUESTS = [
  { method: 'GET' },
  { method: 'GET', headers: CURIOUS },
  { method: 'POST' },
  { method: 'OPTIONS', headers: CURIOUS },
] as const;

describe('Capability status: planned', () => {
  test('is like a route that is not there: status, body, headers, every method, compressed or not, encoded or not', async () => {
    const api = await openWith(ALL_OFF);
    for (const customer of [api.accounts.customers.builder, api.accounts.customers.community])
      for (const how of REQUESTS) {
        const unknown = appearance(await api.ask(customer, '/v1/nothing', how));
        const urls = [...PLANNED, '/%761/account', '/%76%31/%61ccount'];
        const appearances = await Promise.all(urls.map(async (url) => appearance(await api.ask(customer, url, how))));
        expect(appearances).toEqual(urls.map(() => unknown));
        api.clock.advance(61_000);
      }
  });

  test('has no backstop of its own, which would give it away', async () => {
    const api = await openWith(ALL_OFF);
    const customer = await api.accounts.add({ plan: 'commercial', contract: { burst_per_minute: 10_000 } });
    const answers = await Promise.all(Array.from({ length: 70 }, () => api.ask(customer, '/v1/account')));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([404]));
  });

  test('says nothing to strangers: 401 as everywhere, under every way to write the path', async () => {
    const api = await openWith(ALL_OFF);
    const urls = [
      '/v1/account',
      '/%761/account',
      '/v1/nothing',
      '/%761/nothing',
      '/v1?x',
      'http://localhost:80/v1/nothing',
    ];
    const [one, ...others] = await Promise.all(urls.map((url) => api.get(url)));
    expect(one?.statusCode).toBe(401);
    for (const response of others) expect(one && appearance(response)).toEqual(one && appearance(one));
  });
});

describe('Capability status: pilot', () => {
  test('is there for the named organizations and planned for the others, limits too', async () => {
    const states: CapabilityStates = {};
    const api = await openWith(states);
    const terms = { plan: 'builder', contract: { daily_quota: 1 } } as const;
    const [invited, other] = [await api.accounts.add(terms), await api.accounts.add(terms)];
    const pilot = [invited.organizationId];
    Object.assign(states, { changes: { pilot }, plans: { pilot } });
    expect((await api.ask(invited, '/v1/changes')).statusCode).toBe(200);
    expect((await api.ask(invited, '/v1/models')).statusCode).toBe(429);
    const [refused, unknown] = [await api.ask(other, '/v1/changes'), await api.ask(other, '/v1/nothing')];
    expect(appearance(refused)).toEqual(appearance(unknown));
    for (const path of ['/v1/models', '/v1/scores']) expect((await api.ask(other, path)).statusCode).toBe(200);
  });
});

describe('Capability status: plans planned', () => {
  test('the planned headers are absent and no quota or burst refuses, while keys and the backstop hold', async () => {
    const api = await openWith({ plans: 'planned' });
    const customer = await api.accounts.add({ contract: { daily_quota: 1, burst_per_minute: 2 } });
    for (const url of ['/v1/models', '/v1/models', '/v1/models', '/v1/nothing', '/v1/models?limit=0']) {
      const response = await api.ask(customer, url);
      expect([200, 404, 422]).toContain(response.statusCode);
      expect(namesAmong(LIMIT_HEADERS, response)).toEqual([]);
    }
    expect((await api.accounts.accounts.quota.usage(await customer.caller())).used).toBe(0);
    expect((await api.get('/v1/models')).statusCode).toBe(401);
    const answers = await Promise.all(Array.from({ length: 31 }, () => api.ask(customer, '/v1/updates')));
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(refused.map(({ headers }) => Number(headers['retry-after']) > 0)).toEqual([true]);
  });

  test('nothing tells of a plan: what it lacks, and the account, look like unknown routes', async () => {
    const api = await openWith({ plans: 'planned' });
    const { community, builder } = api.accounts.customers;
    const unknown = appearance(await api.ask(community, '/v1/nothing'));
    for (const url of ['/v1/changes', '/v1/snapshots', '/v1/snapshots/none/download', '/v1/account'])
      for (const method of ['GET', 'HEAD', 'POST'] as const) {
        const answer = await api.ask(community, url, { method });
        if (method === 'HEAD') expect(answer.statusCode).toBe(404);
        else expect(appearance(answer)).toEqual(unknown);
      }
    expect((await api.ask(builder, '/v1/changes')).statusCode).toBe(200);
    const window = await api.ask(community, '/v1/rankings/history?category_id=general&from=2020-01-01&to=2020-02-01');
    expect(window.json().error).toMatchObject({ code: 'history_window_exceeded' });
    const updates = await Promise.all(Array.from({ length: 31 }, () => api.ask(builder, '/v1/updates')));
    const refused = updates.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json().error).toMatchObject({ limit_type: 'burst', limit_scope: 'route' });
    for (const { body } of [window, ...updates]) expect(body).not.toMatch(/"plan"|[Pp]lan/);
  });
});

describe('/openapi.json', () => {
  test.each<[CapabilityStates, readonly string[], readonly string[]]>([
    [{ history: 'planned' }, ['/v1/models/{model_id}/history', '/v1/rankings/history'], ['/v1/changes', '/v1/account']],
    [{ changes: { pilot: ['org_1'] } }, ['/v1/changes'], ['/v1/snapshots', '/v1/account']],
    [{ account: 'planned' }, ['/v1/account'], ['/v1/changes']],
    [{ plans: 'planned' }, ['/v1/account'], ['/v1/changes']],
  ])('with %o has nothing of what is not live for all', async (states, absent, present) => {
    const api = await openWith(states);
    const document = await api.json('/openapi.json');
    const paths = Object.keys(Object(document['paths']));
    expect(paths).toEqual(expect.arrayContaining([...present]));
    expect(paths.filter((path) => absent.includes(path))).toEqual([]);
    const text = JSON.stringify(document['paths']);
    if (states.plans === 'planned')
      expect(text).not.toMatch(/feature_not_in_plan|X-Quota|X-Service-Plan|IdempotencyKey/);
    expect((await api.get('/docs/json')).json()).toEqual(document);
    const shown = (await api.get('/docs/reference/openapi.json')).json();
    expect(Object.keys(shown.paths)).toEqual(paths.filter((path) => path !== '/openapi.json'));
  });
});

describe('MODELSTATS_CAPABILITIES', () => {
  test('names states and organizations', () => {
    const states = capabilitiesFromText('history=planned, changes=pilot:org_1|org_2,account=live,');
    expect(states).toEqual({ history: 'planned', changes: { pilot: ['org_1', 'org_2'] }, account: 'live' });
    expect(capabilitiesFromText('')).toEqual({});
    expect(isLive({ changes: { pilot: ['org_1'] } }, 'changes', undefined)).toBe(false);
    expect(isLive({}, 'snapshots', undefined)).toBe(true);
  });

  test.each([
    'history',
    'history=on',
    'gold=planned',
    'changes=pilot',
    'changes=planned:org_1',
    'current=planned',
    'history=planned account=live',
  ])('%s says what is wrong with it', (text) => {
    expect(capabilitiesFromText(text)).toMatchObject({ problem: expect.stringContaining(text.split(',')[0] ?? '') });
  });
});
