/** Servers on an S3 store that refuses them: they end as every command does, unless they have something to serve all the same. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { COMMAND, runCli } from '../support/processes/cli.ts';
import { describeOnMinio, Minio } from '../support/processes/minio.ts';
import { ServerProcess } from '../support/processes/server-process.ts';
import { useFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 90_000 });

describeOnMinio('a server', () => {
  let minio: Minio;
  const path = useFolder();

  beforeAll(async () => {
    minio = await Minio.start();
  });
  afterAll(() => minio?.stop());

  const settings = (env: Readonly<Record<string, string>> = {}) => ({
    ...minio.environment,
    MODELSTATS_STORE: `s3://${minio.bucket}/store`,
    MODELSTATS_DATABASE: `sqlite:${path('accounts.db')}`,
    MODELSTATS_VIEW: path('view'),
    MODELSTATS_WORK: path('work'),
    MODELSTATS_PORT: '0',
    MODELSTATS_S3_ATTEMPTS_MAX: '1',
    ...env,
  });

  test.each([
    ['serve', 'the key', { AWS_ACCESS_KEY_ID: 'AKIAWRONG' }, 'refuses these credentials'],
    ['serve', 'the secret', { AWS_SECRET_ACCESS_KEY: 'not-the-secret' }, 'refuses these credentials'],
    ['serve', 'the bucket', { MODELSTATS_STORE: 's3://not-there/store' }, 'has no bucket not-there'],
    ['dispatch', 'the secret', { AWS_SECRET_ACCESS_KEY: 'not-the-secret' }, 'refuses these credentials'],
  ])('%s ends with exit code 2 where %s is wrong', async (command, _, env, says) => {
    const { code, stdout, stderr } = await runCli([command, '--json'], { env: settings(env) });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: expect.stringContaining('"code":"configuration"'),
      stderr: expect.stringContaining(says),
    });
    expect(stdout + stderr).not.toContain('not-the-secret');
  });

  /** A server that has said where it listens. */
  async function serve(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const command = [process.execPath, COMMAND, 'serve', '--json'];
    const serving = new ServerProcess(command, (said) => said.includes('"url"'), settings(env));
    await serving.run();
    return serving;
  }

  /** What `/health/ready` tells first of the view; the server is ended then. */
  async function problemOf(env: Readonly<Record<string, string>>): Promise<unknown> {
    const serving = await serve(env);
    const [, url] = /"url":"([^"]+)"/.exec(serving.log) ?? [];
    const health = async () => (await fetch(`${url}/health/ready`)).json();
    await expect.poll(health, { timeout: 20_000 }).not.toMatchObject({ problem: null });
    const body = await health();
    await serving.end('SIGTERM');
    return body;
  }

  test('starts where the store is not there, for it may come back', async () => {
    const body = await problemOf({ MODELSTATS_S3_ENDPOINT: 'http://127.0.0.1:1' });
    expect(body).toMatchObject({ status: 'starting', problem: { code: 'store_unavailable' } });
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|http|s3:|modelstats-test/);
  });

  test('that has a view serves it, whatever the store refuses', async () => {
    const night = ['nightly', '--source', 'fixtures/days', '--all-days'];
    expect(await runCli(night, { env: settings() })).toMatchObject({ code: 0 });
    const serving = await serve();
    await expect.poll(() => serving.log, { timeout: 30_000 }).toContain('serving a new view');
    await serving.end('SIGTERM');
    const body = await problemOf({ AWS_SECRET_ACCESS_KEY: 'not-the-secret' });
    expect(body).toMatchObject({ status: 'ready', problem: { code: 'configuration' } });
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|http|s3:|modelstats-test|bucket/);
  });
});
