import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Environment } from '../../bin/config/config.ts';
import { s3AddressFrom } from '../../storage/s3/client.ts';
import { S3Store } from '../../storage/s3/s3-store.ts';
import { examine } from '../support/doctor/examine.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { Minio } from '../support/processes/minio.ts';
import { findProgram } from '../support/processes/server-process.ts';
import { useFolder } from '../support/temporary-folder.ts';

const PASSWORDS = { STORE_WRITER_PASSWORD: 'writer-secret', STORE_READER_PASSWORD: 'reader-secret' };

/** MinIO's own command line, which its image has; another program is called mc too. */
function hasMinioClient(): boolean {
  const mc = findProgram('mc');
  return mc !== undefined && execFileSync(mc, ['--version'], { encoding: 'utf8' }).includes('MinIO');
}

describe.skipIf(!hasMinioClient())('the bucket that deploy/minio makes', () => {
  let minio: Minio;
  const folder = useFolder();
  const makeBucket = () =>
    promisify(execFile)('sh', [join(ROOT, 'deploy/minio/make-bucket.sh')], {
      env: {
        PATH: process.env['PATH'],
        MC_CONFIG_DIR: folder(),
        MINIO_ENDPOINT: minio.endpoint,
        MINIO_ROOT_USER: Minio.CREDENTIALS.accessKeyId,
        MINIO_ROOT_PASSWORD: Minio.CREDENTIALS.secretAccessKey,
        ...PASSWORDS,
      },
    });
  const storeOf = (user: 'writer' | 'reader', bucket = 'modelstats') =>
    new S3Store(s3AddressFrom(`s3://${bucket}/store`), {
      ...minio.options,
      attemptsMax: 1,
      credentials: { accessKeyId: `modelstats-${user}`, secretAccessKey: `${user}-secret` },
    });

  beforeAll(async () => {
    minio = await Minio.start();
    await makeBucket();
    await makeBucket(); // Once more, as with each start of the containers.
  });
  afterAll(() => minio?.stop());

  test('nights write to it, with conditions', async () => {
    const store = storeOf('writer');
    await store.checkConditionalWrites();
    await store.put('catalog.json', Buffer.from('{}'), { ifAbsent: true });
    await store.delete('catalog.json');
    await store.put('catalog.json', Buffer.from('{}'), { ifAbsent: true });
  });

  test('servers read from it, sign downloads, and write nothing', async () => {
    const store = storeOf('reader');
    expect((await store.get('catalog.json'))?.body.toString()).toBe('{}');
    expect(await store.get('nothing.json')).toBeUndefined();
    const keys: string[] = [];
    for await (const { key } of store.list('')) keys.push(key);
    expect(keys).toEqual(['catalog.json']);
    const download = await fetch(await store.signedUrl('catalog.json', { expiresInSeconds: 60 }));
    expect([download.status, await download.text()]).toEqual([200, '{}']);
    await expect(store.put('catalog.json', Buffer.from('x'))).rejects.toMatchObject({ code: 'configuration' });
    await expect(store.delete('catalog.json')).rejects.toMatchObject({ code: 'configuration' });
  });

  test('doctor takes it that servers only read', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'modelstats-reader');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', PASSWORDS.STORE_READER_PASSWORD);
    onTestFinished(() => void vi.unstubAllEnvs());
    const env = { MODELSTATS_STORE: 's3://modelstats/store', MODELSTATS_S3_ENDPOINT: minio.endpoint };
    const writes = async (more: Environment) => (await examine({ ...env, ...more })).of('store_writes');
    expect(await writes({ MODELSTATS_PORT: '0' })).toMatch(/^ok: .*is read-only here, which is enough for servers$/);
    expect(await writes({})).toMatch(/^warn: .*can't be written: .*AccessDenied/);
    expect(await writes({ MODELSTATS_CRON: '0 3 * * *' })).toMatch(/^fail: .*can't be written: .*AccessDenied/);
  });

  test('neither has any right elsewhere', async () => {
    for (const user of ['writer', 'reader'] as const) {
      const elsewhere = storeOf(user, minio.bucket);
      await expect(elsewhere.get('catalog.json')).rejects.toMatchObject({ code: 'configuration' });
      await expect(elsewhere.put('x', Buffer.from('x'))).rejects.toMatchObject({ code: 'configuration' });
    }
  });
});
