import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { goldenTable } from '../../test/support/documents/golden-table.ts';
import { settingRows } from '../../test/support/documents/setting-rows.ts';
import { ROOT } from '../../test/support/documents/text-files.ts';
import { callCli } from '../../test/support/processes/cli.ts';
import { configFromEnv, PREFIX, SETTING_SECTIONS } from '../config/config.ts';
import { shownSettings } from '../config/shown-settings.ts';

async function show(
  env: Readonly<Record<string, string>>,
  { json = false, changed = false }: { readonly json?: boolean; readonly changed?: boolean } = {},
): Promise<string> {
  const options = [...(json ? ['--json'] : []), ...(changed ? ['--changed'] : [])];
  const { stdout } = await callCli(['config', 'show', ...options], { env });
  return stdout.trimEnd();
}

const NAMES = SETTING_SECTIONS.flatMap(({ settings }) => settings.map(({ name }) => name));

test('every setting is shown with the value in force and where it comes from', async () => {
  const env = { MODELSTATS_PORT: '9000', MODELSTATS_SIGN_IN: 'password', MODELSTATS_STORE: '' };
  const { settings } = JSON.parse(await show(env, { json: true }));
  expect(settings.map(({ name }: { readonly name: string }) => name).sort()).toEqual(
    NAMES.map((name) => `${PREFIX}${name}`).sort(),
  );
  expect(settings).toEqual(
    expect.arrayContaining([
      { name: 'MODELSTATS_PORT', group: 'The API', value: '9000', source: 'environment', default: '8080' },
      { name: 'MODELSTATS_SIGN_IN', group: 'People', value: 'password', source: 'environment', default: 'link' },
      expect.objectContaining({ name: 'MODELSTATS_STORE', value: 'file:./data/store', source: 'default' }),
      expect.objectContaining({ name: 'MODELSTATS_REDIS', value: null, source: 'default', default: null }),
    ]),
  );
  const text = await show(env);
  expect(text).toMatch(/^The API$/m);
  expect(text).toMatch(/^ {2}MODELSTATS_PORT +9000 {2}\(environment\)$/m);
  expect(text).toMatch(/^ {2}MODELSTATS_STORE +file:\.\/data\/store$/m);
});

test('with --changed only what is set is shown', async () => {
  expect(await show({ MODELSTATS_PORT: '9000' }, { changed: true })).toMatch(
    /^The API\n {2}MODELSTATS_PORT {2}9000 {2}\(environment\)$/,
  );
  expect(await show({}, { changed: true })).toBe('nothing is set: every setting has its default');
});

test('an S3 server that the AWS tools name is shown with their variable', () => {
  const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:9000' };
  const endpoint = shownSettings(configFromEnv(env), env).find(({ name }) => name === 'MODELSTATS_S3_ENDPOINT');
  expect(endpoint).toMatchObject({ value: 'http://127.0.0.1:9000', source: 'AWS_ENDPOINT_URL' });
});

const KEY = Buffer.alloc(32, 7).toString('base64');

function isTakenBy(name: string, value: string): boolean {
  const setting = SETTING_SECTIONS.flatMap(({ settings }) => settings).find((one) => one.name === name);
  return setting?.schema.safeParse(value).success ?? false;
}

/** Every setting that can be given a text which holds a secret. */
const WITH_SECRET = NAMES.flatMap((name) =>
  [
    'postgres://user:hunter2-secret@host/db',
    'redis://:hunter2-secret@host:6379',
    'smtp://user:hunter2-secret@host:587',
    'https://user:hunter2-secret@host',
    KEY,
    'hunter2-secret-0123456789',
  ].flatMap((value) => {
    const isTaken = isTakenBy(name, value);
    const isSecret = value.includes('://') || /(_KEYS?|TOKEN)$/.test(name);
    return isTaken && isSecret ? [{ name: `${PREFIX}${name}`, value }] : [];
  }),
);

test.each(WITH_SECRET)('$name = $value is shown without its secret', async ({ name, value }) => {
  for (const json of [false, true]) {
    const shown = await show({ [name]: value }, { json });
    expect(shown).toContain(name);
    expect(shown).not.toMatch(/hunter2/);
    expect(shown).not.toContain(KEY);
  }
});

test('of whom nights are told, no path of an address and no word of a program is shown', async () => {
  const value = 'https://hooks.example.com/T0/hunter2, exec:/usr/bin/tell --token hunter2,ops@example.com';
  for (const json of [false, true]) {
    const shown = await show({ MODELSTATS_NOTIFY: value }, { changed: true, json });
    expect(shown).toContain('https://hooks.example.com/…,exec:/usr/bin/tell,mailto:ops@example.com');
    expect(shown).not.toContain('hunter2');
  }
});

test('the settings that hold secrets were among those', () => {
  const names = new Set(WITH_SECRET.map(({ name }) => name.slice(PREFIX.length)));
  const secrets = ['DATABASE', 'REDIS', 'SMTP', 'SECRET_KEYS', 'SIGNING_KEY', 'METRICS_TOKEN', 'API_KEY', 'API_URL'];
  expect(secrets.filter((name) => !names.has(name))).toEqual([]);
});

test.each(SETTING_SECTIONS)(
  'docs/configuration.md has the settings of $title as they are declared',
  ({ title, settings }) => {
    const rows = settingRows(settings);
    expect(goldenTable('docs/configuration.md', `generated: ${title}`, rows)).toEqual(rows);
  },
);

test('docs/configuration.md tells of every setting, in the groups that are shown, and of no other', () => {
  const text = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const sections = text.split(/^## /m).slice(1);
  const documented = sections.map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    names: [...section.matchAll(/^\| `MODELSTATS_([A-Z_0-9]+)`/gm)].map(([, name = '']) => name),
  }));
  expect(documented).toEqual(
    SETTING_SECTIONS.map(({ title, settings }) => ({ title, names: settings.map(({ name }) => name) })),
  );
});
