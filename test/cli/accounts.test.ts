import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAccounts } from '../accounts/open-accounts.ts';
import { isApiKey } from '../schemas/api-key.ts';
import { answersFrom, runCli } from './cli.ts';

let folder: string;
let database: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-accounts-cli-'));
  database = `sqlite:${join(folder, 'accounts.db')}`;
});
afterAll(() => rm(folder, { recursive: true }));

function run(...args: readonly string[]) {
  return runCli(args, { env: { MODELSTATS_DATABASE: database }, cwd: folder });
}

/** The one JSON object that a command answers. */
async function ask(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const result = await run(...args, '--json');
  expect(result).toMatchObject({ code: 0, stderr: '' });
  const answers = answersFrom(result.stdout);
  expect(answers).toHaveLength(1);
  return answers[0] ?? {};
}

test('an organization gets a plan and keys; a key works at once and no more once it is revoked', async () => {
  const accounts = await openAccounts(database);
  const created = await ask('orgs', 'create', '--name', 'Acme', '--plan', 'builder');
  expect(created).toMatchObject({ name: 'Acme', plan: 'builder', status: 'active', daily_quota: 5000, contract: {} });
  const org = String(created['id']);
  const issued = await ask('keys', 'create', '--org', org, '--name', 'production');
  const key = String(issued['key']);
  expect(isApiKey(key)).toBe(true);
  expect(await accounts.authenticate(key)).toMatchObject({ organizationId: org, terms: { plan: 'builder' } });

  const contract = ['--daily-quota', '50000', '--history-months', 'full', '--period-end', '2099-07-01'];
  const changed = await ask(
    'orgs',
    'set-plan',
    '--org',
    org,
    '--plan',
    'commercial',
    ...contract,
    '--snapshots',
    '365',
  );
  expect(changed).toMatchObject({
    ...{ plan: 'commercial', daily_quota: 50_000, history_months: 1200, period_end: '2099-07-01T00:00:00Z' },
    ...{ snapshots: { newest: 365, month_ends: true } },
  });
  expect(await accounts.authenticate(key)).toMatchObject({ terms: { plan: 'commercial', quotaLimit: 50_000 } });
  expect(await ask('orgs', 'list')).toEqual({ organizations: [changed] });

  const { keys } = await ask('keys', 'list', '--org', org);
  const { key: _, last_used_at: never, ...listed } = issued;
  expect({ keys, never }).toMatchObject({ keys: [listed], never: null });
  expect(JSON.stringify(keys)).not.toContain(key);
  expect((await ask('keys', 'revoke', String(issued['id'])))['revoked_at']).not.toBeNull();
  expect(await accounts.authenticate(key)).toBeUndefined();
  await accounts.close();
});

test('people get tables, and the key once with a word of warning', async () => {
  const created = await ask('orgs', 'create', '--name', 'Tables');
  const issued = await run('keys', 'create', '--org', String(created['id']));
  expect(issued).toMatchObject({ code: 0, stderr: '' });
  expect(issued.stdout).toMatch(/msk_[0-9A-Za-z]{49}/);
  expect(issued.stdout).toContain('the only time that the key is shown');
  const listed = await run('keys', 'list');
  expect(listed.stdout).toMatch(/ends with/);
  expect(listed.stdout).not.toMatch(/msk_/);
  expect((await run('orgs', 'list')).stdout).toMatch(/Tables.*community.*500.*60.*6/);
});

describe.concurrent('a wrong call says what is wrong on stderr and ends with 2:', () => {
  const setPlan = ['orgs', 'set-plan', '--org', 'org_none', '--plan', 'builder'];
  test.each([
    ['no name', ['orgs', 'create'], "required option '--name <name>' not specified"],
    ['an empty name', ['orgs', 'create', '--name', ' '], "option '--name <name>' argument ' ' is invalid"],
    ['an unknown plan', ['orgs', 'create', '--name', 'A', '--plan', 'gold'], 'one of community, builder, commercial'],
    ['an unknown organization', ['keys', 'create', '--org', 'org_none'], 'there is no organization org_none'],
    ['an unknown organization for a plan', setPlan, 'there is no organization org_none'],
    ['an unknown key', ['keys', 'revoke', 'key_none'], 'there is no key key_none'],
    ['a quota that is none', [...setPlan, '--daily-quota', '-1'], 'a whole number from 0'],
    ['a feature that is none', [...setPlan, '--features', 'history,gold'], 'one of history, snapshots'],
    ['a day that is none', [...setPlan, '--period-end', '2026-02-30'], 'a calendar day YYYY-MM-DD'],
    ['a grace without an end', [...setPlan, '--status', 'grace'], '--grace-until YYYY-MM-DD'],
  ])('%s', async (_, args, message) => {
    const result = await run(...args);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  test.each([
    ['an address that is none', { MODELSTATS_DATABASE: 'mysql://a:secret@b/c' }, /sqlite: or postgres:\/\//, 2],
    ['a database that is down', { MODELSTATS_DATABASE: 'postgres://a:secret@127.0.0.1:1/c' }, /can't be opened/, 1],
    ['an enforcement that is none', { MODELSTATS_ENFORCEMENT: 'maybe' }, /MODELSTATS_ENFORCEMENT: /, 2],
    ['a date that is none', { MODELSTATS_ENFORCEMENT_FROM: 'soon' }, /MODELSTATS_ENFORCEMENT_FROM: must be a day/, 2],
    ['a route that is none', { MODELSTATS_BACKSTOP: '/v1/x=5' }, /'\/v1\/x=5' is no ROUTE=LIMIT/, 2],
  ])('%s', async (_, env, { source }, code) => {
    const result = await runCli(['orgs', 'list'], { env, cwd: folder });
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(source) });
    expect(result.stderr).not.toContain('secret');
  });
});

test('a file that is no database is left alone', async () => {
  await writeFile(join(folder, 'notes.txt'), 'not a database, but somebody wants it\n'.repeat(100));
  const result = await runCli(['orgs', 'list'], { env: { MODELSTATS_DATABASE: 'sqlite:notes.txt' }, cwd: folder });
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining("notes.txt can't be opened") });
  expect((await readdir(folder)).filter((name) => name.startsWith('notes'))).toEqual(['notes.txt']);
});
