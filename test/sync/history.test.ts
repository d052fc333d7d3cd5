/** What `--history` keeps: enough to ask for every past day locally. */
import SqliteDatabase from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { compareKeys, keyOf, parseRecord } from '../../client/sync/json-lines.ts';
import type { Day } from '../../runtime/day.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { RETENTION } from '../../schemas/retention.ts';
import { openService, type Service, syncInto, usePlaces } from '../support/client/service.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04', '2026-06-06'] as const;
const newPlace = usePlaces();

async function serve(days: readonly Day[]): Promise<Service> {
  const service = await openService({ days: (store) => publishFromFixture('days', store, days) });
  onTestFinished(service.close);
  return service;
}

/** The records of a day by the events alone, as the documentation asks for them. */
function linesOn(day: string, into: string, name: DatasetName): string {
  const database = new SqliteDatabase(into, { readonly: true });
  const rows = database
    .prepare<[string, string], { data: string }>(
      `SELECT data FROM (
         SELECT op, data, row_number() OVER (PARTITION BY entity_id ORDER BY seq DESC) AS age
         FROM changes WHERE entity_type = ? AND occurred_on <= ?)
       WHERE age = 1 AND op = 'upsert'`,
    )
    .all(DATASETS[name].entityType ?? '', day);
  database.close();
  const records = rows.map(({ data }) => ({ data, key: keyOf(name, parseRecord(data)) }));
  records.sort((a, b) => compareKeys(a.key, b.key));
  return records.map(({ data }) => `${data}\n`).join('');
}

async function expectDays(service: Service, into: string, from: string): Promise<void> {
  const releases = await listReleases(service.api.store);
  for (const release of releases.filter(({ day }) => day >= from)) {
    for (const name of DATASET_NAMES.filter((dataset) => DATASETS[dataset].entityType !== null)) {
      const text = await readSnapshot(service.api.store, release, name);
      expect(linesOn(release.day, into, name), `${name} on ${release.day}`).toBe(text);
    }
  }
}

test('with --history every published day can be asked for, from the first event on, also after syncs without it', {
  timeout: 60_000,
}, async () => {
  const service = await serve(DAYS.slice(0, 4));
  const into = newPlace('.sqlite');
  const result = await syncInto(into, service.client(), { keepsHistory: true });
  expect(result).toMatchObject({ status: 'imported', snapshot_id: DAYS[3], warnings: [] });
  await expectDays(service, into, DAYS[0]);
  await service.publish(({ store }) => store.night(fixtureSource('days'), DAYS[4]));
  await syncInto(into, service.client());
  await expectDays(service, into, DAYS[0]);
});

test('where the feed has lost its beginning, from the oldest snapshot on that it still follows', {
  timeout: 60_000,
}, async () => {
  const service = await serve(DAYS);
  // The feed of the last days of the month is all that stays.
  await service.publish(({ store }) => store.prune({ ...RETENTION, changesMonths: 0 }));
  const { body } = await service.client().getChanges({ limit: 1 });
  const first = body.events[0];
  expect(first?.seq).toBeGreaterThan(1);
  const into = newPlace('.sqlite');
  await syncInto(into, service.client(), { keepsHistory: true });
  const base = DAYS.findLast((day) => day < (first?.occurred_on ?? '')) ?? '';
  await expectDays(service, into, base);
  // What was imported without events is imported anew once they are wanted.
  const later = newPlace('.sqlite');
  await syncInto(later, service.client());
  expect((await syncInto(later, service.client(), { keepsHistory: true })).warnings).toEqual([
    expect.stringContaining('no events were stored so far'),
  ]);
  await expectDays(service, later, base);
});
