/** What a sync bears between a consumer and the service. */
import { cp, symlink } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ModelstatsClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { RETENTION } from '../../schemas/retention.ts';
import {
  changeCopy,
  linesOf,
  newestLines,
  type Service,
  stateOf,
  syncInto,
  usePlaces,
  useService,
  withCopy,
} from '../support/client/service.ts';
import { publishFromFixture, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { type Fault, FaultProxy, type ProxiedRequest } from '../support/processes/fault-proxy.ts';
import { createChooser } from '../support/random.ts';

const NEXT = '2026-06-04';

/** Syncs of each kind of copy through the proxy. */
const ROUNDS = Number(process.env['SYNC_ROUNDS'] ?? 3);

const KINDS = ['.duckdb', '.sqlite', ''] as const;

const newPlace = usePlaces();
const service = useService({ days: (store) => publishFromFixture('days', store, SAMPLE_DAYS.slice(0, 1)) });
/** Copies of the first day. */
const old = new Map<string, string>();
let proxy: FaultProxy;

beforeAll(async () => {
  for (const ending of KINDS) old.set(ending, await newCopy(ending));
  for (const day of SAMPLE_DAYS.slice(1)) await publish(day);
  proxy = await FaultProxy.start(service.url);
});
beforeEach(() => proxy.reset());
afterAll(() => proxy.stop());

const viaProxy = (more: Parameters<Service['client']>[0] = {}) => service.client({ url: proxy.endpoint, ...more });
const publish = (day: Day) => service.publish(({ store }) => store.night(fixtureSource('days'), day));
/** What the copy should be. */
const expected = () => newestLines(service.api.store);

async function newCopy(ending = '.sqlite'): Promise<string> {
  const into = newPlace(ending);
  await syncInto(into, service.client());
  return into;
}

const isOf = (path: string) => (request: ProxiedRequest) => request.url.startsWith(path);
const isDownload = (request: ProxiedRequest) => request.url.includes('/download?');

describe('through a proxy that lets things go wrong at random', () => {
  const outcomes = { equal: 0, stopped: 0 };

  /** So many of a hundred requests go wrong. */
  function planFrom(seed: number, percent: number): FaultProxy['plan'] {
    const chooser = createChooser(seed);
    const faults: readonly (() => Fault)[] = [
      () => ({ is: 'answer', status: 500, code: 'InternalError' }),
      () => ({ is: 'answer', status: 503, code: 'SlowDown' }),
      () => ({ is: 'answer', status: 429, code: 'TooMany', headers: { 'retry-after': '0' } }),
      () => ({ is: 'answer', status: 403, code: 'AccessDenied' }),
      () => ({ is: 'answer', status: 410, code: 'Gone' }),
      () => ({ is: 'answer', status: 200, code: 'NotWhatWasAskedFor' }),
      () => ({ is: 'answer-lost' }),
      () => ({ is: 'answer-cut', afterBytes: chooser.integer(0, 2000) }),
      () => ({ is: 'answer-damaged', afterBytes: chooser.integer(0, 2000) }),
      () => ({ is: 'answer-late', ms: chooser.integer(1, 30) }),
    ];
    return () => (chooser.chance(percent / 100) ? chooser.pick(faults)() : undefined);
  }

  /** Rejects where it stops for a reason that nobody foresaw. */
  async function tryToSync(into: string): Promise<'equal' | 'stopped'> {
    try {
      await syncInto(into, viaProxy({ attemptsMax: 4 }));
      return 'equal';
    } catch (error) {
      if (!(error instanceof ClientError) && !(error instanceof AppError)) throw error;
      return 'stopped';
    }
  }

  it.each(KINDS)(
    'a new or an old copy "%s" ends equal, or the sync stops with a clear reason, and the next one ends equal',
    { timeout: 240_000 },
    async (ending) => {
      const text = await expected();
      for (let seed = 1; seed <= ROUNDS; seed += 1) {
        const into = newPlace(ending);
        if (seed % 3 > 0) await cp(old.get(ending) ?? '', into, { recursive: true });
        proxy.plan = planFrom(seed + ending.length * 1000, seed % 2 === 0 ? 10 : 30);
        const outcome = await tryToSync(into);
        if (outcome === 'equal') expect(await linesOf(into), `seed ${seed}`).toEqual(text);
        outcomes[outcome] += 1;
        proxy.reset();
        await syncInto(into, viaProxy());
        expect(await linesOf(into), `seed ${seed}`).toEqual(text);
      }
    },
  );

  it('some end equal, and some stop', () => {
    expect(outcomes.equal).toBeGreaterThan(ROUNDS / 2);
    expect(outcomes.stopped).toBeGreaterThan(0);
  });
});

describe('what changes under a sync', () => {
  it('an address that expires on the way is replaced by another', async () => {
    const into = newPlace('.sqlite');
    const later = { is: 'after', work: async () => service.api.clock.advance(16 * 60_000) } as const;
    proxy.failNext(isOf('/files/'), later, 2);
    expect(await syncInto(into, viaProxy())).toMatchObject({ status: 'imported', warnings: [] });
    expect(proxy.requests.filter((request) => request.includes('/download?'))).toHaveLength(DATASET_NAMES.length + 2);
    expect(await linesOf(into)).toEqual(await expected());
  });

  it('a download that breaks goes on where it was', async () => {
    const into = newPlace('.sqlite');
    const ranges: (string | undefined)[] = [];
    let left = 3;
    proxy.plan = ({ url, headers }) => {
      if (!url.includes('models.jsonl.gz')) return undefined;
      ranges.push(headers.range);
      left -= 1;
      return left >= 0 ? { is: 'answer-cut', afterBytes: 50 } : undefined;
    };
    await syncInto(into, viaProxy());
    expect(ranges).toEqual([undefined, 'bytes=50-', 'bytes=100-', 'bytes=150-']);
    expect(await linesOf(into)).toEqual(await expected());
  });

  it('a download that is not what the manifest says is done again, and after some tries the sync stops', async () => {
    const into = newPlace('.sqlite');
    proxy.failNext(isOf('/files/'), { is: 'answer-damaged', afterBytes: 30 }, 1);
    expect(await syncInto(into, viaProxy())).toMatchObject({ status: 'imported' });
    proxy.failNext(isOf('/files/'), { is: 'answer-damaged', afterBytes: 30 }, 1000);
    const other = newPlace('.sqlite');
    await expect(syncInto(other, viaProxy({ attemptsMax: 3 }))).rejects.toMatchObject({ code: 'corrupt' });
    expect(await withCopy(other, (copy) => copy.state())).toBeUndefined();
  });

  it('what was downloaded before is not downloaded again', async () => {
    const into = newPlace('.sqlite');
    proxy.plan = ({ url }) =>
      url.includes('/rankings.jsonl.gz') ? { is: 'answer', status: 500, code: 'x' } : undefined;
    await expect(syncInto(into, viaProxy({ attemptsMax: 2 }))).rejects.toMatchObject({ name: 'ServiceError' });
    proxy.reset();
    await syncInto(into, viaProxy());
    const fetched = proxy.requests.filter((request) => request.includes('/files/'));
    expect(fetched.map((request) => /(\w+)\.jsonl\.gz/.exec(request)?.[1])).toEqual(['rankings', 'pricing']);
  });

  it('a page of the feed that lacks an event is refused, and all is imported anew', async () => {
    const into = await newCopy();
    class Lacking extends ModelstatsClient {
      override async getChanges(filters: object) {
        const response = await super.getChanges(filters);
        return { ...response, body: { ...response.body, events: response.body.events.slice(1) } };
      }
    }
    const lacking = new Lacking({ url: service.url, key: service.key });
    await changeCopy(into, {}, { cursor: 'MQ', snapshot_id: '2026-05-31', etags: null });
    const result = await syncInto(into, lacking);
    expect(result).toMatchObject({ status: 'imported', warnings: [expect.stringContaining('the feed')] });
    expect(await linesOf(into)).toEqual(await expected());
  });

  it('a copy that was changed by others is found out when it next reaches a snapshot, and imported anew', async () => {
    const into = await newCopy();
    const { cursor } = await withCopy(into, stateOf);
    // A day that left no events behind: the feed can't mend what is missing.
    await changeCopy(into, { replaced: { pricing: '/dev/null' } }, { snapshot_id: '2026-05-31', etags: null });
    const result = await syncInto(into, service.client());
    expect(result).toMatchObject({ status: 'imported', cursor });
    expect(result.warnings).toEqual([expect.stringContaining('pricing did not equal snapshot')]);
    expect(await linesOf(into)).toEqual(await expected());
  });

  it('a copy that could not be proven, nor imported anew, is proven by the next sync', async () => {
    const into = await newCopy();
    await changeCopy(into, { replaced: { pricing: '/dev/null' } }, { url: proxy.endpoint, etags: null });
    proxy.plan = (request) => (isDownload(request) ? { is: 'answer', status: 500, code: 'x' } : undefined);
    await expect(syncInto(into, viaProxy({ attemptsMax: 1 }))).rejects.toMatchObject({ name: 'ServiceError' });
    proxy.reset();
    expect(await syncInto(into, viaProxy())).toMatchObject({ status: 'imported' });
    expect(await linesOf(into)).toEqual(await expected());
  });

  it('a file that is gone is an error, and no reason to read lists', async () => {
    const into = newPlace('.sqlite');
    proxy.plan = (request) => (isOf('/files/')(request) ? { is: 'answer', status: 404, code: 'x' } : undefined);
    await expect(syncInto(into, viaProxy())).rejects.toMatchObject({ name: 'NotFoundError', param: 'snapshot_id' });
    expect(await withCopy(into, (copy) => copy.state())).toBeUndefined();
  });

  it('a second sync through another name of the copy is refused as well', async () => {
    const into = await newCopy();
    await symlink(into, `${into}-alias.sqlite`);
    await withCopy(into, () =>
      expect(syncInto(`${into}-alias.sqlite`, service.client())).rejects.toMatchObject({ code: 'unavailable' }),
    );
  });

  it('a cursor that is ahead of the feed, and another address, lead to a new import', async () => {
    const into = await newCopy();
    const { cursor } = await withCopy(into, stateOf);
    await changeCopy(into, {}, { cursor: 'OTk5OTk5OTk', snapshot_id: '2026-05-31', etags: null });
    expect(await syncInto(into, service.client())).toMatchObject({ status: 'imported', cursor });
    expect(await syncInto(into, viaProxy())).toMatchObject({
      status: 'imported',
      warnings: [expect.stringContaining(`made from ${service.url}`)],
    });
  });

  it('a service whose newest snapshot is older than the copy changes nothing', async () => {
    const into = await newCopy();
    await changeCopy(into, {}, { snapshot_id: '2026-12-31', etags: null });
    const before = await linesOf(into);
    const result = await syncInto(into, service.client());
    expect(result).toMatchObject({ status: 'up_to_date', warnings: [expect.stringContaining('older than the copy')] });
    expect(await linesOf(into)).toEqual(before);
  });

  it('a snapshot that another replaces before it is downloaded is left for that one', { timeout: 60_000 }, async () => {
    const into = newPlace('.sqlite');
    const key = await service.addKey({ plan: 'builder', contract: { burst_per_minute: 100_000 } });
    // Every download waits for it, also one that is tried again because a busy machine takes long to publish.
    let published: Promise<unknown> | undefined;
    const work = () => (published ??= publish(NEXT));
    proxy.plan = (request) => (isDownload(request) ? { is: 'after', work } : undefined);
    const result = await syncInto(into, viaProxy({ key }));
    expect(result).toMatchObject({ snapshot_id: NEXT, status: 'imported' });
    expect(await linesOf(into)).toEqual(await expected());
  });

  it('a cursor that has expired leads to a new import, and with --history the difference is kept', {
    timeout: 60_000,
  }, async () => {
    const [into, historic] = [await newCopy(), newPlace('')];
    await syncInto(historic, service.client(), { keepsHistory: true });
    for (const day of ['2026-06-06', '2026-06-07'] as const) await publish(day);
    // The feed of all but the last day goes.
    service.api.clock.set('2027-09-01T00:00:00Z');
    await service.publish(({ store }) => store.prune({ ...RETENTION, changesMonths: 0 }));
    const result = await syncInto(into, service.client());
    expect(result.warnings).toEqual([expect.stringContaining('the feed begins on')]);
    expect(result.status).toBe('imported');
    await syncInto(historic, service.client(), { keepsHistory: true });
    const equal = await expected();
    expect(await linesOf(into)).toEqual(equal);
    expect(await linesOf(historic)).toEqual(equal);
  });
});
