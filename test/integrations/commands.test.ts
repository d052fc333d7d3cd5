/** Integrations as an operator runs them: the command line, a job, the web sites of customers. */
import dns from 'node:dns/promises';
import { readdir, readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { openDatabase } from '../../api/database/open-database.ts';
import { type Operator, openOperator, until } from '../support/accounts/operator.ts';
import { responseFields } from '../support/documents/usage.ts';
import { type PageServer, usePages } from '../support/integrations/page-server.ts';

const LINK = '<a href="https://stats.example.org/models">Data</a>';
const EVERY_NAME_IS_HERE = join(import.meta.dirname, '../support/integrations/every-name-is-here.ts');

let operator: Operator;
let pages: PageServer;

beforeEach(async () => {
  pages = await usePages();
  operator = await openOperator({
    MODELSTATS_PUBLIC_URL: 'https://stats.example.org',
    NODE_OPTIONS: `--import ${pathToFileURL(EVERY_NAME_IS_HERE).href}`,
  });
  // In this process too; of the overloads the guard calls the one for all addresses.
  vi.spyOn(dns, 'lookup').mockImplementation((async () => [{ address: '127.0.0.1', family: 4 }]) as never);
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.mocked(dns.lookup).mockRestore(); // Other files share the process.
  syncBuiltinESMExports();
});

const run: Operator['run'] = (...call) => operator.run(...call);
const organization = async () => String((await run(['orgs', 'create', '--name', 'Acme']))['id']);
const addPage = async (org: string, page = 'shop.test/') =>
  String((await run(['integrations', 'add', org, 'Ours', pages.urlOf(page)]))['id']);

test('an operator declares a page, checks it, sees what it earns, and removes it', async () => {
  const org = await organization();
  expect((await operator.call(['integrations', 'list', org])).stdout).toBe('no integrations yet\n');
  const id = await addPage(org);
  const check = ['integrations', 'check', org, id];
  expect(await run(check, 1)).toMatchObject({
    state: 'pending',
    reason: 'HTTP_ERROR',
    has_bonus: false,
    check: { reason: 'HTTP_ERROR', status: 404, final_url: pages.urlOf('shop.test/'), found: null },
  });
  const again = await operator.call(check);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('less than a minute ago')]);
  await update({ asked_at: 0 });
  pages.pages.set('shop.test/', LINK);
  const shown = await operator.call(check);
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringMatching(/verified[\s\S]*found: a link to https:\/\/stats/),
  ]);
  const listed = await run(['integrations', 'list', org]);
  expect(listed).toMatchObject({ integrations: [{ id, state: 'verified', site: 'shop.test', has_bonus: true }] });
  expect((await run(['orgs', 'list']))['organizations']).toMatchObject([{ daily_quota: 500, quota_limit: 750 }]);
  const untilMidnight = { state: 'removed', has_bonus: true, bonus_until: expect.stringMatching(/T00:00:00Z$/) };
  expect(await run(['integrations', 'remove', org, id])).toMatchObject(untilMidnight);
  const wrong = await operator.call(['integrations', 'remove', org, id]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`there is no integration ${id} in ${org}`)]);
});

test('answers have the fields that the specification tells', async () => {
  const fieldsOf = (at: number) => responseFields('integrations add')[at]?.toSorted();
  const org = await organization();
  const added = await run(['integrations', 'add', org, 'Ours', pages.urlOf('shop.test/')]);
  expect(Object.keys(added).sort()).toEqual(fieldsOf(0));
  const { check, ...checked } = await run(['integrations', 'check', org, String(added['id'])], 1);
  expect(Object.keys(checked).sort()).toEqual(fieldsOf(0));
  expect(Object.keys(check ?? {}).sort()).toEqual(fieldsOf(1));
  expect(Object.keys(await run(['integrations', 'list', org]))).toEqual(fieldsOf(2));
});

test('an address that must not be reached is refused, and without MODELSTATS_PUBLIC_URL nothing is declared', async () => {
  const org = await organization();
  for (const [url, changes, told] of [
    ['https://10.0.0.1/', { MODELSTATS_OUTBOUND_ALLOW: '' }, '10.0.0.1 is not a public address'],
    ['https://www.example.org/', {}, 'is the site of this service itself'],
    ['https://shop.test/', { MODELSTATS_PUBLIC_URL: '' }, 'MODELSTATS_PUBLIC_URL is not set'],
    ['https://shop.test/', { MODELSTATS_CAPABILITIES: 'attribution=planned' }, 'integrations are not available'],
  ] as const) {
    const { code, stderr } = await operator.call(['integrations', 'add', org, 'Ours', url], changes);
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
  }
});

test('dispatch checks a page within seconds, counts it, and tells of a site that is taken', async () => {
  const [org, other] = [await organization(), await organization()];
  pages.pages.set('shop.test/', LINK);
  await addPage(org);
  operator.env['MODELSTATS_METRICS_PORT'] = '0';
  const said = await operator.start('dispatch');
  await stateBecomes(org, 'verified');
  await addPage(other);
  await stateBecomes(other, 'rejected');
  const metrics = await (await fetch(String(said()[0]?.['metrics_url']))).text();
  expect(metrics).toContain('modelstats_integration_checks_total{reason="FOUND"} 2');
  expect(metrics).toContain('modelstats_integration_changes_total{state="verified"} 1');
  expect(metrics).toContain('modelstats_integration_due 0');
  const { entries } = await run(['orgs', 'audit', other]);
  expect(entries).toContainEqual(expect.objectContaining({ action: 'integration.reject', actor: 'system' }));
});

test('serve --with-checks raises the quota of a key in use at once', async () => {
  const { id } = await run(['orgs', 'create', '--name', 'Acme', '--email', 'owner@example.com']);
  const org = String(id);
  const { key } = await run(['keys', 'create', '--org', org]);
  const said = await operator.start('serve', '--with-checks');
  const limitNow = async () => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${said()[0]?.['url']}/v1/account`, { headers });
    const { usage } = (await response.json()) as { usage: { limit: number } };
    return [usage.limit, response.headers.get('x-quota-limit')];
  };
  expect(await limitNow()).toEqual([500, '500']);
  pages.pages.set('shop.test/', LINK);
  await addPage(org);
  await stateBecomes(org, 'verified');
  expect(await limitNow()).toEqual([750, '750']);
  await update({ notice: 'at_risk', state: 'at_risk' });
  const folder = join(operator.folder, 'mail');
  const mails = async () => (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  await until(async () => (await mails()).length > 0);
  const [mail = ''] = await mails();
  const subject = 'Subject: The link to the source is missing: Ours';
  expect(await readFile(join(folder, mail), 'utf8')).toContain(subject);
});

test('serve --with-checks without MODELSTATS_PUBLIC_URL does not begin', async () => {
  const ended = await operator.call(['serve', '--with-checks'], { MODELSTATS_PUBLIC_URL: '' });
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('MODELSTATS_PUBLIC_URL is not set')]);
});

/** Changes the integrations behind the service's back. */
function update(changes: { asked_at: number } | { notice: string; state: string }): Promise<unknown> {
  return onDatabase(({ kysely }) => kysely.updateTable('integrations').set(changes).execute());
}

/** Waits for the state of an organization's one page. */
function stateBecomes(org: string, state: string): Promise<void> {
  return onDatabase(({ kysely }) => {
    const states = kysely.selectFrom('integrations').select('state').where('organization_id', '=', org);
    return until(async () => (await states.executeTakeFirst())?.state === state);
  });
}

async function onDatabase<T>(work: (database: ControlDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase(operator.env['MODELSTATS_DATABASE'] ?? '');
  return work(database).finally(() => database.close());
}
