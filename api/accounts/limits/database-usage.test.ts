import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ControlDatabase } from '../../database/control-database.ts';
import { openDatabase } from '../../database/open-database.ts';
import { DatabaseUsage } from './database-usage.ts';
import type { ReserveRequest } from './usage-store.ts';

let database: ControlDatabase;
let usage: DatabaseUsage;

beforeAll(async () => {
  database = await openDatabase('sqlite::memory:', {});
  usage = new DatabaseUsage(database);
});
afterAll(() => database?.close());

function reserve(organizationId: string, cap: number | null, key?: string): ReserveRequest {
  const idempotency = key === undefined ? undefined : { key, request: 'r' };
  return { kind: 'reserve', organizationId, credentialId: 'key_1', day: '2026-11-20', idempotency, cap };
}

test('reservations of one batch get the units that are left, the first ones first, each with its own count', async () => {
  const batch = [...Array.from({ length: 3 }, () => reserve('a', 4)), reserve('b', null), reserve('a', 4)];
  expect(await usage.apply(batch)).toEqual([
    { isGranted: true, used: 1, units: 1 },
    { isGranted: true, used: 2, units: 1 },
    { isGranted: true, used: 3, units: 1 },
    { isGranted: true, used: 1, units: 1 },
    { isGranted: true, used: 4, units: 1 },
  ]);
  expect(await usage.apply([reserve('a', 4), reserve('b', 2), reserve('b', 2)])).toEqual([
    { isGranted: false, used: 4, units: 0 },
    { isGranted: true, used: 2, units: 1 },
    { isGranted: false, used: 2, units: 0 },
  ]);
});

test('whoever may have none gets none, and nothing is written for it', async () => {
  expect(await usage.apply([reserve('c', 0), reserve('c', 0)])).toEqual([
    { isGranted: false, used: 0, units: 0 },
    { isGranted: false, used: 0, units: 0 },
  ]);
  const rows = await database.kysely.selectFrom('daily_usage').where('organization_id', '=', 'c').selectAll().execute();
  expect(rows).toEqual([]);
});
