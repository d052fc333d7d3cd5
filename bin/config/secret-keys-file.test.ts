import { readFile, stat, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { configFromEnv } from './config.ts';
import { configuredSecretKeys } from './secret-keys-file.ts';

const path = useFolder({ perTest: true });

const open = (database: string, keys?: string) =>
  configuredSecretKeys(configFromEnv({ MODELSTATS_DATABASE: database, MODELSTATS_SECRET_KEYS: keys }));
const sqlite = () => `sqlite:${path('data', 'accounts.db')}`;
const keyFile = () => path('data', 'accounts.db.key');

test('without a setting the key is a file beside SQLite that only this user reads, the same for all', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => open(sqlite())));
  const sealed = all[0]?.seal('whsec_x', 'whe_1') ?? '';
  expect(all.map((keys) => keys.open(sealed, 'whe_1'))).toEqual(all.map(() => 'whsec_x'));
  expect(((await stat(keyFile())).mode & 0o777).toString(8)).toBe('600');
  expect(Buffer.from(await readFile(keyFile(), 'utf8'), 'base64')).toHaveLength(32);
  expect((await open(sqlite())).open(sealed, 'whe_1')).toBe('whsec_x');
});

test('a damaged key file is told, and not replaced', async () => {
  await open(sqlite());
  await writeFile(keyFile(), 'short\n');
  await expect(open(sqlite())).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringContaining(keyFile()),
  });
  expect(await readFile(keyFile(), 'utf8')).toBe('short\n');
});

test('PostgreSQL needs the setting', async () => {
  const url = 'postgres://user:secret@localhost/modelstats';
  const refused = open(url);
  await expect(refused).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('MODELSTATS_SECRET_KEYS'),
  });
  await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('secret@') });
  const key = Buffer.alloc(32, 1).toString('base64');
  await expect(open(url, key)).resolves.toBeDefined();
});

test('a wrong key is refused by its number, without telling it', () => {
  const good = Buffer.alloc(32, 1).toString('base64');
  expect(() => configFromEnv({ MODELSTATS_SECRET_KEYS: `${good},tooshort` })).toThrow(
    'MODELSTATS_SECRET_KEYS: key 2 is not base64 of 32 bytes',
  );
});
