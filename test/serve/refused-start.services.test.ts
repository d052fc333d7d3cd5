/** A server whose databases refuse it, or are not there: exit codes, what it says, and what it says while it runs. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCli } from '../support/processes/cli.ts';
import { describePostgres } from '../support/processes/postgres-server.ts';
import { RedisServer } from '../support/processes/redis-server.ts';
import { serveSample } from '../support/processes/serve-sample.ts';
import { describeWith } from '../support/processes/server-process.ts';
import { useFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 90_000 });

interface Health {
  readonly status: string;
  readonly problems: readonly { readonly part: string }[];
}

/** Of a command that failed, on stderr and stdout. */
const FAILED = { signal: null, stdout: expect.stringContaining('"status":"error"') };

describePostgres('with a PostgreSQL server', (postgres) => {
  describeWith('redis-server', 'and a Redis server', () => {
    const path = useFolder();
    let redis: RedisServer;
    let database: string;

    beforeAll(async () => {
      redis = await RedisServer.start();
      database = await postgres().createDatabase();
    });
    afterAll(() => redis?.stop());

    function run(words: readonly string[], env: Readonly<Record<string, string>>) {
      const folders = { MODELSTATS_STORE: `file:${path('store')}`, MODELSTATS_VIEW: path('view') };
      const port = { MODELSTATS_PORT: '0', MODELSTATS_SECRET_KEYS: Buffer.alloc(32).toString('base64') };
      return runCli([...words, '--json'], {
        cwd: path(),
        env: { ...folders, ...port, MODELSTATS_DATABASE: database, ...env },
      });
    }

    test.each([['serve'], ['dispatch'], ['orgs', 'list'], ['keys', 'create', '--org', 'org_x']])(
      '%s %s ends with 2 where PostgreSQL refuses the settings, and with 1 where it is not there',
      async (...words) => {
        const refused = await run(words, { MODELSTATS_DATABASE: database.replace(/[^/]+$/, 'nowhere') });
        expect(refused).toMatchObject({ ...FAILED, code: 2, stderr: expect.stringContaining('createdb NAME') });
        const gone = await run(words, { MODELSTATS_DATABASE: 'postgres://u:open-sesame@127.0.0.1:1/accounts' });
        const cause = 'connect ECONNREFUSED 127.0.0.1:1; check whether PostgreSQL runs there';
        expect(gone).toMatchObject({ ...FAILED, code: 1, stderr: expect.stringContaining(cause) });
        expect(refused.stdout + gone.stdout + gone.stderr).not.toContain('open-sesame');
      },
    );

    test('a server that nobody asks shows a PostgreSQL and a Redis that went away: in /health/ready, the metrics and the log', async () => {
      const env = {
        MODELSTATS_REDIS: redis.url,
        MODELSTATS_METRICS_OPEN: 'true',
        MODELSTATS_DATABASE_PROBE_SECONDS: '1',
      };
      const { serving } = await serveSample({ database, env });
      const ready = async (): Promise<Health> => JSON.parse(await (await fetch(`${serving.url}/health/ready`)).text());
      const parts = async () => (await ready()).problems.map(({ part }) => part);
      const gauges = async () =>
        (await (await fetch(`${serving.url}/metrics`)).text()).match(/^modelstats_problem\{.*/gm) ?? [];
      expect([await parts(), await gauges()]).toEqual([[], []]);
      await postgres().halt();
      await redis.halt();
      await vi.waitFor(async () => expect(await parts()).toEqual(['accounts', 'limits']), 20_000);
      expect(await gauges()).toEqual([
        'modelstats_problem{part="accounts",code="unavailable"} 1',
        'modelstats_problem{part="limits",code="unavailable"} 1',
      ]);
      expect((await ready()).status).toBe('ready');
      expect(JSON.stringify(await ready())).not.toMatch(/127\.0\.0\.1|ECONN|accounts_1/);
      for (const { host } of [new URL(database), new URL(redis.url)])
        await vi.waitFor(() => expect(serving.log).toContain(`connect ECONNREFUSED ${host}`), 20_000);
      await postgres().run();
      await redis.run();
      await vi.waitFor(async () => expect([await parts(), await gauges()]).toEqual([[], []]), 20_000);
    });
  });
});
