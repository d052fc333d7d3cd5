import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { examine } from '../../../test/support/doctor/examine.ts';
import { describeOnMinio, Minio } from '../../../test/support/processes/minio.ts';

describeOnMinio('doctor', () => {
  let minio: Minio;
  beforeAll(async () => {
    minio = await Minio.start();
    // The SDK looks for credentials in the environment of the process alone.
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, minio.environment[name]);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await minio?.stop();
  });

  test('a bucket is read, written and removed from again, and its clock compared', async () => {
    const env = { ...minio.environment, MODELSTATS_STORE: `s3://${minio.bucket}/store` };
    const { of } = await examine(env);
    expect(of('store')).toMatch(/^warn: .*has no snapshots yet$/);
    expect(of('store_writes')).toBe('ok: writable, with conditional writes');
    expect(of('store_clock')).toBe(`ok: this clock and that of ${minio.endpoint} agree`);
    const later = await examine(env, new Date(Date.now() - 120_000));
    expect(later.of('store_clock')).toMatch(/^warn: this clock is 1[12]\d s behind that of/);
  });

  test('a bucket that is not there fails, and says so', async () => {
    const { code, of } = await examine({ ...minio.environment, MODELSTATS_STORE: 's3://nothing-there/store' });
    expect(code).toBe(1);
    expect(of('store')).toMatch(/^fail: .*nothing-there/);
  });
});
