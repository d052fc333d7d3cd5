/** Real nights are published while requests run: no error, and no answer that mixes two releases. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Accounts } from '../../api/accounts/open-accounts.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import type { FeedEvent } from '../support/api/feed.ts';
import { listen } from '../support/api/listen.ts';
import { replaceQuota } from '../support/api/test-accounts.ts';
import { openOwnApi, useApi } from '../support/api/use-api.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';

vi.setConfig({ testTimeout: 120_000 });

const FIRST: Day = '2026-06-01';
const NIGHTS = 2;

/** Every record of a day tells which day it is of; each day has a model more. */
function rowsOf(day: Day): DayRows {
  const number = Number(day.slice(-2));
  const ids = Array.from({ length: 30 + number }, (_, i) => `m${String(i).padStart(3, '0')}`);
  const updated_at = `${day}T01:00:00Z`;
  return {
    models: ids.map((id) => ({ id, name: `${id} ${day}`, updated_at })),
    benchmarks: [{ id: 'x', name: 'X', updated_at }],
    scores: ids.map((id) => ({ model_id: id, benchmark_id: 'x', value: number, updated_at })),
    rankings: ids.map((id, i) => ({ model_id: id, category: 'c', rank: i + 1, trueskill_mu: number, updated_at })),
    pricing: ids.map((id) => ({ model_id: id, provider: 'p', input_per_million: number, updated_at })),
  };
}

const api = useApi({
  days: (store) => store.publish(FIRST, rowsOf(FIRST)),
  now: '2026-06-20T12:00:00Z',
  follower: { pollMs: 20, retryMaxMs: 20 },
  settings: { cacheBytes: 50_000 },
});
let base: string;
beforeAll(async () => {
  base = await listen(api.app);
});

type Row = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>>;

async function ask(path: string): Promise<{ readonly day: Day; readonly body: Body }> {
  const response = await fetch(base + path);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return { day: String(response.headers.get('x-data-as-of')).slice(0, 10), body: JSON.parse(text) };
}

const rowsIn = (body: Body, name: string) => body[name] as readonly Row[];

/** What each answer must say on a day. */
const CHECKS: Readonly<Record<string, (body: Body, day: Day, number: number) => void>> = {
  '/v1/models?limit=7': (body, day, number) => {
    expect(rowsIn(body, 'models').map(({ name }) => String(name).slice(-10))).toEqual(Array(7).fill(day));
    expect(body['total']).toBe(30 + number);
  },
  '/v1/models/m005': (body, day, number) => {
    expect(body['name']).toBe(`m005 ${day}`);
    expect(rowsIn(body, 'scores')[0]).toMatchObject({ value: number });
    expect(rowsIn(body, 'rankings')[0]).toMatchObject({ trueskill_mu: number });
    expect(rowsIn(body, 'pricing')[0]).toMatchObject({ input_per_million: number });
  },
  '/v1/rankings?category=c&limit=50': (body, day, number) => {
    expect(body).toMatchObject({ ranked_at: `${day}T23:59:59Z`, total: 30 + number });
    expect(new Set(rowsIn(body, 'rankings').map(({ trueskill_mu: mu }) => mu))).toEqual(new Set([number]));
  },
  '/v1/rankings/history?category_id=c&top=3': (body, day, number) => {
    expect(rowsIn(body, 'points')).toHaveLength(3 * number);
    expect(rowsIn(body, 'points').at(-1)).toMatchObject({ date: day, payload: { positions: 30 + number } });
  },
  '/v1/snapshots': (body, day, number) => {
    expect(rowsIn(body, 'snapshots').map(({ id }) => id)[0]).toBe(day);
    expect(rowsIn(body, 'snapshots')).toHaveLength(number);
  },
};

test('while nights are published every answer is of one release, and readiness never lapses', async () => {
  let isOver = false;
  /** What was asked, and the day that the answer was of. */
  const seen = new Set<string>();
  const askAll = async () => {
    while (!isOver) {
      for (const [path, check] of Object.entries(CHECKS)) {
        const { day, body } = await ask(path);
        check(body, day, Number(day.slice(-2)));
        seen.add(`${path} ${day}`);
        await sleep(20);
      }
    }
  };
  const askHealth = async () => {
    while (!isOver) {
      const { status } = await fetch(`${base}/health/ready`);
      expect(status).toBe(200);
      await sleep(20);
    }
  };
  const events: FeedEvent[] = [];
  const follow = async () => {
    for (let cursor = 'MA', through = ''; !(isOver && through === addDays(FIRST, NIGHTS)); ) {
      const { day, body } = await ask(`/v1/changes?cursor=${cursor}&limit=37`);
      events.push(...(body['events'] as readonly FeedEvent[]));
      expect(body['published_through']).toBe(day);
      cursor = String(body['next_cursor']);
      through = body['has_more'] === true ? '' : day;
      if (through !== '') await sleep(20);
    }
  };
  const asking = Promise.all([askAll(), askAll(), askHealth(), follow()]).finally(() => (isOver = true));
  for (let night = 0; night <= NIGHTS; night += 1) {
    const day = addDays(FIRST, night);
    if (night > 0) await api.store.publish(day, rowsOf(day));
    while (!isOver && Object.keys(CHECKS).some((path) => !seen.has(`${path} ${day}`))) await sleep(10);
  }
  isOver = true;
  await asking;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)?.occurred_on).toBe(addDays(FIRST, NIGHTS));
  await api.follower.refresh(); // The last swap is told when the folder is tidied, which may be after the first answer from it.
  expect(api.events.map(({ type }) => type)).toEqual(Array(NIGHTS + 1).fill('swapped'));
});

test('an error tells of the release that it was answered from, though another came meanwhile', async () => {
  const meanwhile = { publish: async () => {} };
  const wrap = (accounts: Accounts): Accounts =>
    replaceQuota(accounts, {
      reserve: async (...given) => {
        await meanwhile.publish();
        return accounts.quota.reserve(...given);
      },
    });
  const guarded = await openOwnApi({ days: (store) => store.publish(FIRST, rowsOf(FIRST)), accounts: { wrap } });
  const next = addDays(FIRST, 1);
  meanwhile.publish = async () => {
    await guarded.store.publish(next, rowsOf(next));
    await guarded.follower.refresh();
  };
  const { statusCode, headers } = await guarded.ask(guarded.accounts.customers.builder, '/v1/models/nobody');
  expect([statusCode, headers['x-data-as-of']]).toEqual([404, `${FIRST}T23:59:59Z`]);
  meanwhile.publish = async () => {};
  const after = await guarded.ask(guarded.accounts.customers.builder, '/v1/models/nobody');
  expect([after.statusCode, after.headers['x-data-as-of']]).toEqual([404, `${next}T23:59:59Z`]);
});
