/** Integrations as an operator runs them: the command line, a job, the web sites of customers. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../database/open-database.ts';
import { sectionOf, tableRowsOf } from '../support/documents/markdown.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { toldFields } from '../support/documents/usage.ts';
import { type PageServer, startPages } from '../support/integrations/page-server.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { answersFrom, type RunningCli, runCli, startCli } from '../support/processes/cli.ts';

/** A process for each command, one after the other. */
vi.setConfig({ testTimeout: 120_000 });

const LINK = '<a href="https://stats.example.org/models">Data</a>';

let folder: string;
let pages: PageServer;
let env: Record<string, string>;
let running: RunningCli[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-integrations-'));
  pages = await startPages();
  running = [];
  const here = pathToFileURL(join(import.meta.dirname, '../support/integrations/every-name-is-here.ts')).href;
  env = {
    MODELSTATS_STORE: `file:${join(folder, 'store')}`,
    MODELSTATS_WORK: join(folder, 'work'),
    MODELSTATS_VIEW: join(folder, 'view'),
    MODELSTATS_MAIL: join(folder, 'mail'),
    MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}`,
    MODELSTATS_PUBLIC_URL: 'https://stats.example.org',
    MODELSTATS_OUTBOUND_ALLOW: '127.0.0.0/8',
    MODELSTATS_PORT: '0',
    NODE_OPTIONS: `--import ${here}`,
  };
});
afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGTERM');
    await ended;
  }
  await pages.close();
  await rm(folder, { recursive: true });
});

/** What a command answers with `--json`. */
async function run(words: readonly string[], { code = 0 } = {}): Promise<Record<string, unknown>> {
  const ended = await runCli([...words, '--json'], { env });
  expect(ended.code, ended.stderr + ended.stdout).toBe(code);
  return answersFrom(ended.stdout)[0] ?? {};
}

async function addPage(org: string, page: string): Promise<string> {
  return String((await run(['integrations', 'add', org, 'Ours', pages.urlOf(page)]))['id']);
}

/** Starts a command that goes on; what it says first. */
async function start(...words: string[]): Promise<Readonly<Record<string, unknown>>> {
  const cli = startCli([...words, '--json'], { env });
  running.push(cli);
  let said = '';
  cli.child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  while (!said.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 20)); // The test's own time limit ends it.
  return answersFrom(said)[0] ?? {};
}

test('an operator declares a page, checks it, sees what it earns, and removes it', async () => {
  const { id: org } = await run(['orgs', 'create', '--name', 'Acme']);
  expect((await runCli(['integrations', 'list', String(org)], { env })).stdout).toBe('no integrations yet\n');
  const id = await addPage(String(org), 'shop.test/');
  expect(await run(['integrations', 'check', String(org), id], { code: 1 })).toMatchObject({
    state: 'pending',
    reason: 'HTTP_ERROR',
    has_bonus: false,
    check: { reason: 'HTTP_ERROR', status: 404, final_url: pages.urlOf('shop.test/'), found: null },
  });
  const again = await runCli(['integrations', 'check', String(org), id], { env });
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('less than a minute ago')]);
  const database = await openDatabase(env['MODELSTATS_DATABASE'] ?? '');
  await database.kysely.updateTable('integrations').set({ asked_at: 0 }).execute();
  await database.close();
  pages.pages.set('shop.test/', LINK);
  const shown = await runCli(['integrations', 'check', String(org), id], { env });
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringMatching(/verified[\s\S]*found: a link to https:\/\/stats/),
  ]);
  const listed = await run(['integrations', 'list', String(org)]);
  expect(listed).toMatchObject({ integrations: [{ id, state: 'verified', site: 'shop.test', has_bonus: true }] });
  expect((await run(['orgs', 'list']))['organizations']).toMatchObject([{ daily_quota: 500, quota_limit: 750 }]);
  const removed = await run(['integrations', 'remove', String(org), id]);
  expect(removed).toMatchObject({
    state: 'removed',
    has_bonus: true,
    bonus_until: expect.stringMatching(/T00:00:00Z$/),
  });
  const wrong = await runCli(['integrations', 'remove', String(org), id], { env });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`${id} is no integration of ${org}`)]);
});

test('answers have the fields that the specification tells', async () => {
  const specification = await readFile(join(ROOT, 'docs/specification.md'), 'utf8');
  const rows = tableRowsOf(sectionOf(specification, 'JSON answers') ?? '').slice(1);
  const [, answer = ''] = rows.find(([names]) => names === '`integrations add`') ?? [];
  const [ofOne = [], ofCheck = [], ofList = []] = [...answer.matchAll(/`(\{[^`]*\})`/g)].map(([, told = '']) =>
    toldFields(told),
  );
  const { id: org } = await run(['orgs', 'create', '--name', 'Acme']);
  const added = await run(['integrations', 'add', String(org), 'Ours', pages.urlOf('shop.test/')]);
  expect(Object.keys(added).sort()).toEqual([...ofOne].sort());
  const { check, ...checked } = await run(['integrations', 'check', String(org), String(added['id'])], { code: 1 });
  expect(Object.keys(checked).sort()).toEqual([...ofOne].sort());
  expect(Object.keys(check ?? {}).sort()).toEqual([...ofCheck].sort());
  expect(Object.keys(await run(['integrations', 'list', String(org)]))).toEqual(ofList);
});

test('an address that must not be reached is refused, and without MODELSTATS_PUBLIC_URL nothing is declared', async () => {
  const { id: org } = await run(['orgs', 'create', '--name', 'Acme']);
  const add = (url: string, changes: Record<string, string> = {}) =>
    runCli(['integrations', 'add', String(org), 'Ours', url], { env: { ...env, ...changes } });
  const inside = await add('https://10.0.0.1/', { MODELSTATS_OUTBOUND_ALLOW: '' });
  expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('10.0.0.1 is not a public address')]);
  const own = await add('https://www.example.org/');
  expect([own.code, own.stderr]).toEqual([2, expect.stringContaining('is the site of this service itself')]);
  const unknown = await add('https://shop.test/', { MODELSTATS_PUBLIC_URL: '' });
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('MODELSTATS_PUBLIC_URL is not set')]);
  const planned = await add('https://shop.test/', { MODELSTATS_CAPABILITIES: 'attribution=planned' });
  expect([planned.code, planned.stderr]).toEqual([2, expect.stringContaining('integrations are not offered')]);
});

test('dispatch checks a page within seconds, counts it, and tells of a site that is taken', async () => {
  const [{ id: org }, { id: other }] = [
    await run(['orgs', 'create', '--name', 'Acme']),
    await run(['orgs', 'create', '--name', 'Other']),
  ];
  pages.pages.set('shop.test/', LINK);
  const id = await addPage(String(org), 'shop.test/');
  env['MODELSTATS_METRICS_PORT'] = '0';
  const { metrics_url } = await start('dispatch');
  await stateBecomes(String(org), id, 'verified');
  const taken = await addPage(String(other), 'shop.test/');
  await stateBecomes(String(other), taken, 'rejected');
  const metrics = await (await fetch(String(metrics_url))).text();
  expect(metrics).toContain('modelstats_integration_checks_total{reason="FOUND"} 2');
  expect(metrics).toContain('modelstats_integration_changes_total{state="verified"} 1');
  expect(metrics).toContain('modelstats_integration_due 0');
  const { entries } = await run(['orgs', 'audit', String(other)]);
  expect(entries).toContainEqual(expect.objectContaining({ action: 'integration.reject', actor: 'system' }));
});

test('serve --with-checks raises the quota of a key in use at once', async () => {
  await run(['nightly', '--source', fixtureSource('days'), '--day', '2026-06-01']);
  const { id: org } = await run(['orgs', 'create', '--name', 'Acme', '--email', 'owner@example.com']);
  const { key } = await run(['keys', 'create', '--org', String(org)]);
  const { url } = await start('serve', '--with-checks');
  const limitNow = async () => {
    const answer = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
    const { usage } = (await answer.json()) as { usage: { limit: number } };
    return [usage.limit, answer.headers.get('x-quota-limit')];
  };
  expect(await limitNow()).toEqual([500, '500']);
  pages.pages.set('shop.test/', LINK);
  await stateBecomes(String(org), await addPage(String(org), 'shop.test/'), 'verified');
  expect(await limitNow()).toEqual([750, '750']);
  const database = await openDatabase(env['MODELSTATS_DATABASE'] ?? '');
  await database.kysely.updateTable('integrations').set({ notice: 'at_risk', state: 'at_risk' }).execute();
  await database.close();
  const mails = () => readdir(join(folder, 'mail')).catch(() => []);
  while ((await mails()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const [mail = ''] = await mails();
  expect(await readFile(join(folder, 'mail', mail), 'utf8')).toContain(
    'Subject: The link to the source is missing: Ours',
  );
});

test('serve --with-checks without MODELSTATS_PUBLIC_URL does not begin', async () => {
  const ended = await runCli(['serve', '--with-checks'], { env: { ...env, MODELSTATS_PUBLIC_URL: '' } });
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('MODELSTATS_PUBLIC_URL is not set')]);
});

async function stateBecomes(org: string, id: string, state: string): Promise<void> {
  const database = await openDatabase(env['MODELSTATS_DATABASE'] ?? '');
  const read = () =>
    database.kysely
      .selectFrom('integrations')
      .select('state')
      .where('id', '=', id)
      .where('organization_id', '=', org)
      .executeTakeFirst();
  while ((await read())?.state !== state) await new Promise((resolve) => setTimeout(resolve, 50)); // The test's own time limit ends it.
  await database.close();
}
