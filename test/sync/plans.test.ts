/** What each plan gets (specification "Sync"). */
import { describe, expect, it, onTestFinished } from 'vitest';
import { linesOf, newestLines, openService, syncInto, usePlaces, useService } from '../support/client/service.ts';
import { publishFromFixture, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';

const newPlace = usePlaces();
const service = useService({ days: (store) => publishFromFixture('days', store, SAMPLE_DAYS) });
const publish = (day: string) => service.publish(({ store }) => store.night(fixtureSource('days'), day));

async function unitsOf(key: string): Promise<number> {
  const { body } = await service.client({ key }).getAccount();
  return body.usage.used;
}

const exactLines = () => newestLines(service.api.store);

describe('a copy', () => {
  it('of a plan without snapshots is made of the lists, without prices, and says so', async () => {
    const key = await service.addKey({ contract: { burst_per_minute: 100_000 } });
    const into = newPlace('.duckdb');
    const result = await syncInto(into, service.client({ key }));
    expect(result).toMatchObject({ status: 'imported', snapshot_id: null, cursor: null });
    expect(result.warnings).toEqual([expect.stringContaining('without prices')]);
    // Lists don't say in which version their records are.
    const { pricing, ...others } = await linesOf(into, '1.0');
    const { pricing: _, ...exact } = await exactLines();
    expect(pricing).toBe('');
    expect(others).toEqual(exact);
    // Asked again, nothing changed, and that costs nothing.
    const used = await unitsOf(key);
    expect((await syncInto(into, service.client({ key }))).status).toBe('up_to_date');
    expect(await unitsOf(key)).toBe(used);
  });

  it('of a plan that lost its snapshots is left alone', async () => {
    const into = newPlace('.sqlite');
    await syncInto(into, service.client());
    const before = await linesOf(into);
    const key = await service.addKey({});
    await expect(syncInto(into, service.client({ key }))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('the copy stays as of'),
    });
    expect(await linesOf(into)).toEqual(before);
  });

  it('of a plan without the feed is imported whole from each new snapshot', { timeout: 60_000 }, async () => {
    const key = await service.addKey({ plan: 'builder', contract: { features: ['snapshots'] } });
    const into = newPlace('.sqlite');
    expect((await syncInto(into, service.client({ key }))).warnings).toEqual([]);
    await publish('2026-06-04');
    const result = await syncInto(into, service.client({ key }));
    expect(result).toMatchObject({ status: 'imported', snapshot_id: '2026-06-04' });
    expect(result.warnings).toEqual([expect.stringContaining('does not include the change feed')]);
    expect(await linesOf(into)).toEqual(await exactLines());
  });

  it('of a service that has no feed yet is imported whole, with --history too', { timeout: 60_000 }, async () => {
    const young = await openService({
      days: (store) => publishFromFixture('days', store, SAMPLE_DAYS.slice(0, 2)),
      settings: { capabilities: { changes: 'planned' } },
    });
    onTestFinished(young.close);
    const into = newPlace('.sqlite');
    expect(await syncInto(into, young.client(), { keepsHistory: true })).toMatchObject({ status: 'imported' });
    await young.publish(({ store }) => store.night(fixtureSource('days'), '2026-06-04'));
    expect(await syncInto(into, young.client())).toMatchObject({ status: 'imported', snapshot_id: '2026-06-04' });
    expect(await linesOf(into)).toMatchObject(await newestLines(young.api.store));
  });

  it('whose quota is used up on the way says until when, and goes on from there', async () => {
    const key = await service.addKey({ plan: 'builder', contract: { daily_quota: 3 } });
    const into = newPlace('.sqlite');
    await expect(syncInto(into, service.client({ key }))).rejects.toMatchObject({
      name: 'QuotaExceededError',
      reset_at: '2026-07-01T00:00:00.000Z',
    });
    service.api.clock.set('2026-07-01T00:00:01Z');
    await expect(syncInto(into, service.client({ key }))).rejects.toMatchObject({ name: 'QuotaExceededError' });
    service.api.clock.set('2026-07-02T00:00:01Z');
    expect((await syncInto(into, service.client({ key }))).status).toBe('imported');
    expect(await linesOf(into)).toEqual(await exactLines());
  });
});

describe('what api/guide/pages/sync.md says that a copy costs', () => {
  const MODELS = Array.from({ length: 1200 }, (_, index) => ({ id: `model-${index}`, name: 'A' }));
  const BENCHMARK = { id: 'reason', name: 'Reason', category: 'text' };
  const rowsOf = (value: number, benchmarks: readonly object[] = [BENCHMARK]) => ({
    models: MODELS,
    benchmarks,
    scores: MODELS.map(({ id }) => ({ model_id: id, benchmark_id: BENCHMARK.id, value })),
    rankings: [],
    pricing: [],
  });
  const large = useService({ days: (store) => store.publish('2026-06-01', rowsOf(1)) });

  /** Syncs as a plan's, each with the units that it took; the plan's clock stands still. */
  async function syncsOf(plan: 'builder' | 'community') {
    const client = large.client({ key: await large.addKey({ plan }) });
    const into = newPlace('');
    const used = async () => (await client.getAccount()).body.usage.used;
    return async () => {
      const before = await used();
      const { status } = await syncInto(into, client);
      return [status, (await used()) - before];
    };
  }

  it('an import costs six units, a night one more than its thousands of events, nothing new nothing', async () => {
    const sync = await syncsOf('builder');
    expect(await sync()).toEqual(['imported', 6]);
    expect(await sync()).toEqual(['up_to_date', 0]);
    await large.publish(({ store }) => store.publish('2026-06-02', rowsOf(2)));
    expect(await sync()).toEqual(['followed', 1 + 2]);
    const renamed = [{ ...BENCHMARK, name: 'Reasoning' }];
    await large.publish(({ store }) => store.publish('2026-06-03', rowsOf(3, renamed)));
    expect(await sync(), 'with changed benchmarks').toEqual(['followed', 1 + 2 + 1]);
    expect(await sync()).toEqual(['up_to_date', 0]);
  });

  it('on Community a unit brings 500 scores, or 200 models or benchmarks', async () => {
    const sync = await syncsOf('community');
    // The categories are asked for too; there is none.
    expect(await sync()).toEqual(['imported', 3 + 6 + 1 + 1]);
    expect(await sync()).toEqual(['up_to_date', 0]);
  });
});
