/** Digests by email as an operator runs them: real processes, a real mail server (specification "Digests by email"). */
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../api/database/open-database.ts';
import type { Database } from '../../api/database/tables/tables.ts';
import { startDigests } from '../../bin/commands/serve/running-digests.ts';
import { configFromEnv, type Environment } from '../../bin/config/config.ts';
import { type Operator, openOperator, until } from '../support/accounts/operator.ts';
import { copyKeptView } from '../support/api/open-api.ts';
import { openMailbox } from '../support/browser/mailbox.ts';
import { openSampleStore, SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { startCli } from '../support/processes/cli.ts';

const PUBLIC_URL = 'https://stats.example.org';

let store: TemporaryStore;
let mailbox: Awaited<ReturnType<typeof openMailbox>>;
let operator: Operator;

beforeEach(async () => {
  [store, mailbox] = [await openSampleStore(), await openMailbox()];
  operator = await openOperator({
    MODELSTATS_STORE: `file:${store.folder}`,
    MODELSTATS_PUBLIC_URL: PUBLIC_URL,
    MODELSTATS_SMTP: mailbox.smtp,
    MODELSTATS_METRICS_PORT: '0',
  });
  await copyKeptView(store.folder, operator.env['MODELSTATS_VIEW'] ?? '');
});
afterEach(async () => {
  await mailbox.close();
  await store.dispose();
});

async function onDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(operator.env['MODELSTATS_DATABASE'] ?? '');
  return work(database.kysely).finally(() => database.close());
}

/** Members whose daily digest is due, from the first sample day on. */
async function addMembers(emails: readonly string[]): Promise<void> {
  const org = String((await operator.run(['orgs', 'create', '--name', 'Acme']))['id']);
  for (const email of emails) await operator.run(['members', 'add', org, email]);
  await onDatabase(async (database) => {
    await database.updateTable('people').set({ email_verified: 1 }).execute();
    const people = await database.selectFrom('people').select('id').execute();
    const due = { frequency: 'daily', reported_day: SAMPLE_DAYS[0], due_at: 1, failures: 0 };
    const rows = people.map(({ id }) => ({ ...due, person_id: id, claimed_by: null, claimed_until: null }));
    await database.insertInto('email_digests').values(rows).execute();
  });
}

/** Headers and text of a mail, unfolded, from quoted-printable. */
function readMail(mail: string) {
  const [head = '', ...body] = mail.replaceAll('\r\n', '\n').split('\n\n');
  const headers = new Map(
    head
      .replaceAll(/\n\s+/g, ' ')
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
  );
  return { headers, text: body.join('\n\n').replaceAll('=\n', '').replaceAll('=3D', '=') };
}

test('dispatch sends what is due with all headers, counts it, and its link stops the digest', async () => {
  await addMembers(['ada@example.com']);
  const said = await operator.start('dispatch');
  await until(() => mailbox.received.length > 0);
  const { headers, text } = readMail(mailbox.received[0]?.text ?? '');
  expect(headers.get('Subject')).toContain(`Daily digest to ${SAMPLE_DAYS[2]}: 2 price changes`);
  expect(headers.get('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  expect(headers.get('Message-ID')).toMatch(/^<digest\.[0-9a-f]{32}@stats\.example\.org>$/);
  expect(headers.get('Content-Type')).toContain('text/plain');
  const [, link = ''] = /^<(\S+)>$/.exec(headers.get('List-Unsubscribe') ?? '') ?? [];
  expect(link).toMatch(/^https:\/\/stats\.example\.org\/console\/digest\/stop\?token=person_/);
  expect(text).toContain(`Stop the digest, without signing in: ${link}`);
  const metricsOf = async () => (await fetch(String(said()[0]?.['metrics_url']))).text();
  await until(async () => (await metricsOf()).includes('modelstats_email_digests_total{result="sent"} 1'));
  expect(await metricsOf()).toContain('modelstats_email_digests_due 0');
  const serving = await operator.start('serve', '--with-console', '--with-digests');
  const { pathname, search } = new URL(link);
  const stopped = await fetch(`${serving()[0]?.['url']}${pathname}${search}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect(stopped.status).toBe(200);
  expect(await onDatabase((database) => database.selectFrom('email_digests').selectAll().execute())).toEqual([]);
  expect(mailbox.received).toHaveLength(1);
}, 60_000);

test('without MODELSTATS_SMTP serve --with-digests sends none, and serves', async () => {
  await addMembers(['ada@example.com']);
  operator.env['MODELSTATS_SMTP'] = '';
  const said = await operator.start('serve', '--with-digests');
  const response = await fetch(`${said()[0]?.['url']}/health/live`);
  expect(response.status).toBe(200);
  const metrics = await (await fetch(String(said()[0]?.['metrics_url']))).text();
  expect(metrics).not.toContain('modelstats_email_digests_due');
  expect(mailbox.received).toEqual([]);
}, 60_000);

test.each([
  ['MODELSTATS_SMTP', { MODELSTATS_SMTP: '' }],
  ['MODELSTATS_PUBLIC_URL', { MODELSTATS_PUBLIC_URL: '' }],
  ['the capability', { MODELSTATS_CAPABILITIES: 'digest=planned' }],
])('without %s nothing begins to send digests', async (_, changes) => {
  const database = await openDatabase(operator.env['MODELSTATS_DATABASE'] ?? '');
  onTestFinished(() => database.close());
  const registry = new Registry();
  const begin = async (env: Environment) => {
    const context = { config: configFromEnv(env), clock: () => new Date() };
    return startDigests(context, { database, store: store.deps.store, log: pino({ enabled: false }), registry });
  };
  expect(await begin({ ...operator.env, ...changes })).toBeUndefined();
  expect(await registry.metrics()).not.toContain('modelstats_email_digests_due');
  const begun = await begin(operator.env);
  expect(await registry.metrics()).toContain('modelstats_email_digests_due 0');
  await begun?.stop();
});

/** Mails that one process sends at once. */
const AT_ONCE = 4;

test('killed in the middle, another process sends the rest: everybody has a digest, and few have it twice', async () => {
  const emails = Array.from({ length: 16 }, (_, at) => `m${at}@example.com`);
  await addMembers(emails);
  const { child, ended } = startCli(['dispatch', '--json'], { env: operator.env });
  await until(() => mailbox.received.length >= 3);
  child.kill('SIGKILL');
  await ended;
  expect(mailbox.received.length).toBeLessThan(emails.length);
  // As five minutes later.
  await onDatabase((database) =>
    database.updateTable('email_digests').set({ claimed_until: 1 }).where('claimed_by', 'is not', null).execute(),
  );
  await operator.start('dispatch');
  const dueNow = () =>
    onDatabase((database) =>
      database.selectFrom('email_digests').selectAll().where('due_at', '<=', Date.now()).execute(),
    );
  await until(async () => (await dueNow()).length === 0);
  const byAddress = Map.groupBy(mailbox.received, ({ to }) => to[0] ?? '');
  expect([...byAddress.keys()].sort()).toEqual([...emails].sort());
  const twice = [...byAddress.values()].filter((mails) => mails.length > 1);
  expect(twice.length).toBeLessThanOrEqual(AT_ONCE);
  for (const mails of twice)
    expect(new Set(mails.map(({ text }) => readMail(text).headers.get('Message-ID'))).size).toBe(1);
}, 60_000);

test('a preview shows the mail of the last days without sending it, and says where there is nothing to compare', async () => {
  expect(await operator.run(['digest', 'preview', '--days', '2'])).toMatchObject({
    from: SAMPLE_DAYS[0],
    to: SAMPLE_DAYS[2],
    subject: expect.stringContaining('2 price changes'),
    text: expect.stringContaining(`What changed from ${SAMPLE_DAYS[0]} to ${SAMPLE_DAYS[2]} at ${PUBLIC_URL}`),
  });
  const shown = await operator.call(['digest', 'preview', '--days', '2']);
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringMatching(/^Weekly digest to 2026-06-03: .*\n\nWhat changed/),
  ]);
  const quiet = await operator.call(['digest', 'preview']);
  expect([quiet.code, quiet.stdout]).toEqual([0, 'nothing changed from 2026-06-02 to 2026-06-03: no digest\n']);
  expect(await operator.run(['digest', 'preview'])).toMatchObject({ subject: null, text: null });
  const empty = await operator.call(['digest', 'preview'], { MODELSTATS_STORE: `file:${operator.folder}/none` });
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('no two days to compare yet')]);
  const wrong = await operator.call(['digest', 'preview', '--days', '0']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--days')]);
  expect(mailbox.received).toEqual([]);
});
