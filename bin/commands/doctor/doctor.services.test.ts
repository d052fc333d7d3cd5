import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../api/database/open-database.ts';
import { examine } from '../../../test/support/doctor/examine.ts';
import { describePostgres } from '../../../test/support/processes/postgres-server.ts';
import { RedisServer } from '../../../test/support/processes/redis-server.ts';
import { describeWith } from '../../../test/support/processes/server-process.ts';
import { addSubscriber } from '../../../test/support/webhooks/subscribers.ts';

const SECRET_KEYS = Buffer.alloc(32, 1).toString('base64');

describePostgres('doctor with a PostgreSQL server', (server) => {
  test('a database is looked at without being migrated, and its clock compared', async () => {
    const url = await server().createDatabase();
    const env = { MODELSTATS_DATABASE: url, MODELSTATS_SECRET_KEYS: SECRET_KEYS };
    expect((await examine(env)).of('database')).toMatch(/^warn: .*lacks \d+ migrations/);
    expect((await examine(env)).of('database')).toMatch(/^warn: .*lacks \d+ migrations/);
    await (await openDatabase(url)).close();
    expect((await examine(env)).of('database')).toMatch(/^ok: .*has the current version$/);
    expect((await examine(env)).of('secret_keys')).toBe('ok: MODELSTATS_SECRET_KEYS: no secrets yet');
    const withoutKeys = async () => (await examine({ MODELSTATS_DATABASE: url })).of('secret_keys');
    expect(await withoutKeys()).toMatch(/^warn: MODELSTATS_SECRET_KEYS is not set: webhooks and the console/);
    const control = await openDatabase(url);
    await addSubscriber(control, 'whe_1');
    await control.close();
    expect(await withoutKeys()).toMatch(/^fail: MODELSTATS_SECRET_KEYS is not set, and 1 secrets need it/);
    const nowhere = (await examine({ ...env, MODELSTATS_DATABASE: url.replace(/\w+$/, 'nothing') })).of('database');
    expect(nowhere).toMatch(/^fail: .*database "nothing" does not exist; create the database .*MODELSTATS_DATABASE$/);
    const later = new Date(Date.now() + 3_600_000);
    expect((await examine(env, later)).of('database')).toMatch(
      /^fail: this clock is 3\d{3} s ahead of that of postgres/,
    );
  });
});

describeWith('redis-server', 'doctor with a Redis server', () => {
  test('Redis is asked for its time', async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server.stop());
    const env = { MODELSTATS_REDIS: server.url };
    expect((await examine(env)).of('redis')).toBe(`ok: this clock and that of ${server.url} agree`);
    server.freeze();
    expect((await examine(env)).of('redis')).toMatch(/^fail: Redis .* does not respond/);
    server.thaw();
  });
});
