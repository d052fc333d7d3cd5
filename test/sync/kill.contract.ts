/** A sync that is killed at any moment leaves a copy from which the next one ends equal; each kind of copy runs it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { linesOf, openService, type Service, syncInto } from '../support/client/service.ts';
import { publishFromFixture, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { runCli, startCli } from '../support/processes/cli.ts';
import { createChooser } from '../support/random.ts';
import type { CopyKind } from './copies.contract.ts';

/** Kills of each kind of copy. */
const KILLS = Number(process.env['SYNC_KILLS'] ?? 4);

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
