import { readdir, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openAccounts } from '../../api/accounts/open-accounts.ts';
import { API_KEYS } from '../../api/accounts/organizations/token-form.ts';
import { runCli } from '../support/processes/cli.ts';
import { useCli } from '../support/processes/use-cli.ts';

const { path, env, database, run, runWith, ask } = useCli();

test('an organization gets a plan and keys; a key works at once and no more once it is revoked', async () => {
  const accounts = await openAccounts(database());
  const created = await ask('orgs', 'create', '--name', 'Acme', '--plan', 'builder');
  expect(created).toMatchObject({ name: 'Acme', plan: 'builder', status: 'active', daily_quota: 5000, contract: {} });
  const org = String(created['id']);
  const issued = await ask('keys', 'create', '--org', org, '--name', 'production');
  const key = String(issued['key']);
  expect(API_KEYS.isProper(key)).toBe(true);
  expect(await accounts.authenticate(key)).toMatchObject({ organizationId: org, terms: { plan: 'builder' } });

  const terms = '--daily-quota 50000 --history-months full --period-end 2099-07-01 --snapshots 365';
  const changed = await ask('orgs', 'set-plan', '--org', org, '--plan', 'commercial', ...terms.split(' '));
  expect(changed).toMatchObject({
    plan: 'commercial',
    daily_quota: 50_000,
    history_months: 1200,
    period_end: '2099-07-01T00:00:00Z',
    snapshots: { newest: 365, month_ends: true },
  });
  expect(await accounts.authenticate(key)).toMatchObject({ terms: { plan: 'commercial', quotaLimit: 50_000 } });
  const { keys } = await ask('keys', 'list', '--org', org);
  const { key: _, last_used_at: never, ...listed } = issued;
  expect({ keys, never }).toMatchObject({ keys: [listed], never: null });
  expect(JSON.stringify(keys)).not.toContain(key);
  expect((await ask('keys', 'revoke', String(issued['id'])))['revoked_at']).not.toBeNull();
  expect(await accounts.authenticate(key)).toBeUndefined();
  await accounts.close();
});

test('set-plan keeps what is not named and says what changed; --reset drops the rest', async () => {
  const { id } = await ask('orgs', 'create', '--name', 'Terms', '--plan', 'builder');
  const set = (...args: readonly string[]) => ask('orgs', 'set-plan', '--org', String(id), ...args);
  const terms = '--burst 900 --period-end 2099-01-01 --daily-quota 70';
  const first = await set('--plan', 'commercial', ...terms.split(' '));
  expect(first).toMatchObject({ daily_quota: 70, burst_per_minute: 900 });
  const second = await set('--daily-quota', 'unlimited');
  expect(second).toMatchObject({
    plan: 'commercial',
    daily_quota: null,
    quota_limit: null,
    burst_per_minute: 900,
    period_end: '2099-01-01T00:00:00Z',
    changed: [{ field: 'daily_quota', from: 70, to: null }],
  });
  const third = await run('orgs', 'set-plan', '--org', String(id), '--plan', 'builder');
  expect(third).toMatchObject({ code: 0, stderr: '' });
  expect(third.stdout).toContain('changed plan: commercial → builder');
  expect(third.stdout).toContain('unchanged in the contract: daily_quota unlimited, burst_per_minute 900');
  const reset = await set('--plan', 'builder', '--reset');
  expect(reset).toMatchObject({ daily_quota: 5000, burst_per_minute: 300, contract: {} });
  expect(reset['changed']).toContainEqual({ field: 'burst_per_minute', from: 900, to: null });
  expect((await set('--plan', 'builder'))['changed']).toEqual([]);
});

test('a key gets an end, is rotated with an overlap, and the audit log tells who did what', async () => {
  const { id: org } = await ask('orgs', 'create', '--name', 'Rotating');
  const first = await ask('keys', 'create', '--org', String(org), '--name', 'web', '--expires', '2099-01-01');
  expect(first).toMatchObject({ expires_at: '2099-01-01T00:00:00Z' });
  const second = await ask('keys', 'rotate', String(first['id']), '--overlap', '2h', '--expires', '90d');
  expect(second).toMatchObject({ name: 'web', revoked_at: null, replaced: { id: first['id'], name: 'web' } });
  expect(API_KEYS.isProper(String(second['key']))).toBe(true);
  const inHours = (text: unknown) => (Date.parse(String(text)) - Date.now()) / 3_600_000;
  const { keys } = (await ask('keys', 'list', '--org', String(org))) as { keys: { expires_at: string }[] };
  expect(keys.map(({ expires_at }) => Math.round(inHours(expires_at)))).toEqual([2, 90 * 24]);
  const { entries } = (await ask('orgs', 'audit', String(org))) as { entries: { action: string; actor: string }[] };
  expect(entries.map(({ action }) => action)).toEqual(['key.rotate', 'key.create', 'organization.create']);
  expect(entries.every(({ actor }) => /^cli:\S+$/.test(actor))).toBe(true);
  expect((await run('orgs', 'audit', String(org))).stdout).toMatch(/cli:\S+.*key\.rotate/);
  expect((await run('keys', 'list')).stdout).toContain('expires');
});

test('people get tables, and the key once with a word of warning', async () => {
  const created = await ask('orgs', 'create', '--name', 'Tables');
  const issued = await run('keys', 'create', '--org', String(created['id']));
  expect(issued).toMatchObject({ code: 0, stderr: '' });
  expect(issued.stdout).toMatch(/msk_[0-9A-Za-z]{49}/);
  expect(issued.stdout).toContain('shown only this once');
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
    ['an unknown key', ['keys', 'revoke', 'key_none'], 'there is no key key_none'],
    ['a quota that is none', [...setPlan, '--daily-quota', '-1'], 'a whole number from 0'],
    ['a feature that is none', [...setPlan, '--features', 'history,gold'], 'one of history, snapshots'],
    ['a day that is none', [...setPlan, '--period-end', '2026-02-30'], 'a calendar day YYYY-MM-DD'],
    ['an end in the past', ['keys', 'create', '--org', 'org_none', '--expires', '2020-01-01'], 'is in the past'],
    ['an end that is none', ['keys', 'create', '--org', 'org_none', '--expires', 'soon'], 'YYYY-MM-DD, or like 24h'],
    ['an overlap that is none', ['keys', 'rotate', 'key_none', '--overlap', '1w'], 'like 30m, 24h or 90d'],
    ['an unknown organization to tell usage of', ['orgs', 'usage', 'org_none'], 'there is no organization org_none'],
    ['no days of usage', ['orgs', 'usage', 'org_none', '--days', '0'], 'a whole number from 1'],
    ['usage in two forms', ['orgs', 'usage', 'org_none', '--csv', '--json'], '--csv and --json exclude each other'],
    ['a grace without an end', ['orgs', 'create', '--name', 'A', '--status', 'grace'], '--grace-until YYYY-MM-DD'],
  ])('%s', async (_, args, message) => {
    const result = await run(...args);
    const response = args.includes('--json') ? expect.stringContaining('"code":"usage"') : '';
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 2, stdout: response });
    expect(result.stderr).toContain(message);
  });

  test.each([
    ['an address that is none', 'mysql://a:secret@b/c', 'sqlite: or postgres://', 2],
    ['one that can be read in two ways', 'postgres://u:secret@secret:1/secret@h/db', 'percent-encoded', 2],
    ['a database that is down', 'postgres://a:secret@127.0.0.1:1/c', "can't be opened", 1],
  ])('%s', async (_, url, message, code) => {
    const result = await runWith({ MODELSTATS_DATABASE: url }, 'orgs', 'list');
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
    expect(result.stderr).not.toContain('secret');
  });
});

test('a defect is told in one line, and with --debug with where it came from', async () => {
  const defect = path('defect.mjs');
  // A folder in place of the package's own files can't be had here; a module that throws stands for any defect.
  await writeFile(defect, "process.stdout.write = () => { throw new Error('something\\nbroke'); };");
  const options = { env: { ...env(), NODE_OPTIONS: `--import ${defect}` }, cwd: path() };
  const plain = await runCli(['orgs', 'list'], options);
  expect(plain).toMatchObject({ code: 1, stdout: '' });
  expect(plain.stderr).toBe(
    'modelstats: a defect of modelstats: something broke (run the same command with --debug to see where)\n',
  );
  const shown = await runCli(['orgs', 'list', '--debug'], options);
  expect(shown.code).toBe(1);
  expect(shown.stderr).toMatch(/something broke[\s\S]+\n {4}at /);
});

test('a limit for a route that there is not is wrong configuration for whoever serves, and touches nothing', async () => {
  const before = await readdir(path());
  const result = await runWith({ MODELSTATS_BACKSTOP: '/v1/models=5,/v1/x=5' }, 'serve');
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toMatch(
    /MODELSTATS_BACKSTOP: '\/v1\/x=5' is not ROUTE=LIMIT with one of the routes \/v1\/models /,
  );
  expect(await readdir(path())).toEqual(before);
});

test('a PostgreSQL database is copied by its own tools', async () => {
  const url = 'postgres://modelstats:secret@127.0.0.1:1/modelstats';
  const { code, stderr } = await runWith({ MODELSTATS_DATABASE: url }, 'database', 'backup', 'copy.db');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^modelstats: postgres:\S+@127\.0\.0\.1:1\/modelstats is not an SQLite file: use pg_dump\n$/);
  expect(stderr).not.toContain('secret');
});
