/** What holds for copies of every kind; each kind runs it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import {
  changeCopy,
  linesOf,
  loseScore,
  newestLines,
  openService,
  type Service,
  stateOf,
  syncInto,
  useService,
  withCopy,
} from '../support/client/service.ts';
import { publishFromFixture, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { runCli, startCli } from '../support/processes/cli.ts';
import { createChooser } from '../support/random.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** Changes and deletions in every dataset; a benchmark that goes, a model that goes and comes back (fixtures/README.md). */
const FIRST_DAY = '2026-06-01';
/** Nights between two syncs. */
const NIGHTS = [[], ['2026-06-02'], ['2026-06-03', '2026-06-04'], ['2026-06-06', '2026-06-07'], ['2026-06-08']];

/** Kills of each kind of copy. */
const KILLS = Number(process.env['SYNC_KILLS'] ?? 4);

interface CopyKind {
  readonly name: string;
  /** The place of a copy that isn't there yet. */
  readonly newPlace: () => Promise<string>;
}

export function describeCopies(kinds: readonly [CopyKind, ...CopyKind[]]): void {
  const service = useService({ days: (store) => publishFromFixture('days', store, [FIRST_DAY]) });
  const scratch = useFolder();

  it('copies that follow night by night equal a fresh import, and each snapshot byte for byte', {
    timeout: 120_000,
  }, async () => {
    // All with their history, and one without: what updates leave in the others is in open-copy.test.ts.
    const followed = [{ into: await kinds[0].newPlace(), keepsHistory: false }];
    for (const { newPlace } of kinds) followed.push({ into: await newPlace(), keepsHistory: true });
    for (const [index, days] of NIGHTS.entries()) {
      await service.publish(({ store }) => publishFromFixture('days', store, days));
      const expected = await newestLines(service.api.store);
      for (const { into, keepsHistory } of followed) {
        const { status, warnings } = await syncInto(into, service.client(), { keepsHistory });
        expect([status, warnings], into).toEqual([index === 0 ? 'imported' : 'followed', []]);
        expect(await linesOf(into), into).toEqual(expected);
      }
    }
    for (const { newPlace } of kinds) {
      const fresh = await newPlace();
      await syncInto(fresh, service.client());
      expect(await linesOf(fresh), fresh).toEqual(await newestLines(service.api.store));
      expect((await syncInto(fresh, service.client())).status).toBe('up_to_date');
    }
  });

  describe.each(kinds)('copies in $name', ({ newPlace }) => {
    it('take all of an update or nothing of it', async () => {
      const place = await newPlace();
      await syncInto(place, service.client());
      const before = [await linesOf(place), await withCopy(place, stateOf)];
      const nowhere = { models: '/nowhere/models.jsonl' };
      await expect(changeCopy(place, { replaced: nowhere }, { cursor: 'MA' })).rejects.toThrow();
      expect([await linesOf(place), await withCopy(place, stateOf)]).toEqual(before);
    });

    it('that something else wrote into are found out although nothing is new, imported anew, and right again', async () => {
      const place = await newPlace();
      const client = service.client({ key: await service.addKey({ plan: 'builder' }) });
      await syncInto(place, client);
      const right = await linesOf(place);
      await loseScore(place, scratch('scores.jsonl'));
      const { status, snapshot_id: id, warnings } = await syncInto(place, client);
      const why = `scores no longer equaled snapshot ${id}, because another program changed the copy; everything was imported again`;
      expect([status, warnings]).toEqual(['imported', [why]]);
      expect(await linesOf(place)).toEqual(right);
      const { used } = (await client.getAccount()).body.usage;
      expect(await syncInto(place, client)).toMatchObject({ status: 'up_to_date', warnings: [] });
      expect((await client.getAccount()).body.usage.used).toBe(used);
    });

    it('are not opened by a second sync, which says so', async () => {
      const place = await newPlace();
      await withCopy(place, async () => {
        await expect(syncInto(place, service.client())).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('another modelstats sync is writing'),
        });
      });
      expect((await syncInto(place, service.client())).status).toBe('imported');
    });
  });
}

/** A sync that is killed at any moment leaves a copy from which the next one ends equal. */
export function describeKills({ name, newPlace }: CopyKind): void {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ days: (store) => publishFromFixture('days', store, SAMPLE_DAYS.slice(0, 1)) });
    // Old copies are made while the first day is the newest.
    for (let round = 0; round < KILLS; round += 2) {
      const old = await newPlace();
      await syncInto(old, service.client(), { keepsHistory: true });
      places.push(old);
    }
    for (const day of SAMPLE_DAYS.slice(1)) {
      await service.publish(({ store }) => store.night(fixtureSource('days'), day, { accept: true }));
    }
    for (let round = 1; round < KILLS; round += 2) places.push(await newPlace());
  });
  afterAll(() => service?.close());
  const places: string[] = [];

  const args = (into: string) => ['sync', '--into', into, '--history', '--json'];
  const env = () => ({ MODELSTATS_API_URL: service.url, MODELSTATS_API_KEY: service.key, MODELSTATS_THREADS: '1' });

  test(`a copy in ${name} ends equal after a kill at any moment`, { timeout: 240_000 }, async () => {
    const fresh = await newPlace();
    const started = performance.now();
    expect(await runCli(args(fresh), { env: env() })).toMatchObject({ code: 0 });
    const durationMs = performance.now() - started;
    const expected = await linesOf(fresh);
    const chooser = createChooser(name.length);
    let killed = 0;
    for (const place of places) {
      const cli = startCli(args(place), { env: env() });
      await Promise.race([sleep(chooser.integer(durationMs * 0.3, durationMs)), cli.ended]);
      cli.child.kill('SIGKILL');
      if ((await cli.ended).signal === 'SIGKILL') killed += 1;
      expect(await runCli(args(place), { env: env() })).toMatchObject({ code: 0, stderr: '' });
      const lines = await linesOf(place);
      for (const dataset of DATASET_NAMES) expect(lines[dataset], `${place} ${dataset}`).toBe(expected[dataset]);
      expect(await runCli(['sync', '--into', place, '--check'], { env: env() })).toMatchObject({ code: 0 });
    }
    expect(killed).toBeGreaterThan(0);
  });
}
