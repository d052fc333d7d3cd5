/** What commands answer with --json, held to the table of specification "JSON answers", whose rows say which fields there are. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import { addDays, dayFromDate } from '../../schemas/day.ts';
import { openStore } from '../../storage/open-store.ts';
import { sectionOf, tableRowsOf } from '../support/documents/markdown.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { toldFields } from '../support/documents/usage.ts';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { NIGHT_SETTINGS } from '../support/pipeline/temporary-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { answersFrom, callCli, envOf, startCli } from '../support/processes/cli.ts';

const DAY = '2024-03-01';
const FAR_AHEAD = '2999-01-01';
const specification = readFileSync(join(ROOT, 'docs/specification.md'), 'utf8');
const rows = tableRowsOf(sectionOf(specification, 'JSON answers') ?? '').slice(1);

/** The values that a command's row tells, in order: each between backticks and braces. */
function toldOf(command: string): readonly (readonly string[])[] {
  const [, answer = ''] = rows.find(([names]) => names?.split(', ').includes(`\`${command}\``)) ?? [];
  return [...answer.matchAll(/`(\{[^`]*\})`/g)].map(([, value = '']) => toldFields(value));
}

let folder: string;
/** What each command answered first, under its words. */
const answers = new Map<string, Readonly<Record<string, unknown>>>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-json-'));
  const places = { ...envOf({ store: join(folder, 'store'), work: join(folder, 'work') }) };
  const health = { MODELSTATS_HEALTH_FILE: join(folder, 'health.json'), MODELSTATS_CRON: '0 0 * * *' };
  const database = { MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}` };
  const server = { MODELSTATS_PORT: '0', MODELSTATS_VIEW: join(folder, 'view') };
  const notify = { MODELSTATS_NOTIFY: 'exec:/bin/true' };
  const env = { ...places, ...health, ...database, ...server, ...notify, MODELSTATS_RETRY_UNTIL: '24:00' };
  const ask = async (name: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await callCli([...name.split(' '), ...args, '--json'], { env, cwd: folder });
    expect({ code, stderr }, name).toEqual({ code: 0, stderr: '' });
    const [answer = {}] = answersFrom(stdout);
    answers.set(args[0] === '--check' ? `${name} --check` : name, answer);
    return answer;
  };
  /** Starts a command that goes on until it is told to stop; `isReady` looks at what it has said. */
  const runUntil = async (name: string, isReady: (said: string) => boolean, then: () => Promise<unknown>) => {
    const { child, ended } = startCli([name, '--json', ...(name === 'schedule' ? ['--source', 'today'] : [])], {
      env,
      cwd: folder,
    });
    let said = '';
    child.stdout?.on('data', (chunk) => (said += chunk));
    while (!isReady(said)) {
      if (child.exitCode !== null) throw new Error(`${name} has ended: ${said}`);
      await sleep(50);
    }
    await then();
    child.kill('SIGTERM');
    answers.set(name, answersFrom((await ended).stdout)[0] ?? {});
  };
  const models = [{ id: 'a', name: 'A' }];
  const pricing = [{ model_id: 'a', provider: 'p', input_per_million: 1 }];
  await writeDay(join(folder, 'source'), { models, pricing });
  await writeDay(join(folder, 'today', dayFromDate(new Date())), { models, pricing });
  await writeFile(join(folder, 'table.jsonl'), JSON.stringify({ ...pricing[0], effective_from: '2024-02-01' }));
  await ask('init', 'new');
  await ask('doctor');
  await ask('config show');
  await ask('completion', 'bash');
  await ask('nightly', '--source', 'source', '--day', DAY);
  await ask('source check', 'source', '--day', DAY);
  await writeRecipe(join(folder, 'recipe'));
  await ask('fetch', '--source', 'recipe', '--day', DAY);
  await ask('backfill pricing', '--table', 'table.jsonl');
  await ask('status');
  await ask('notify test');
  await ask('aliases suggest');
  await ask('verify', '--all');
  await ask('republish', DAY);
  await ask('mirror', '--to', `file:${join(folder, 'second')}`);
  await callCli(['nightly', '--source', 'source', '--day', addDays(DAY, 1)], { env, cwd: folder });
  await ask('correct', addDays(DAY, 1));
  await ask('prune', '--dry-run');
  await ask('catalog rebuild');
  await publishFarAhead();
  await ask('catalog redate', FAR_AHEAD, '--to', addDays(DAY, 2));
  const { id: org } = await ask('orgs create', '--name', 'Acme');
  await ask('orgs set-plan', '--org', String(org), '--plan', 'builder');
  await ask('orgs list');
  await ask('members add', String(org), 'ada@example.com', '--role', 'owner');
  await ask('members add', String(org), 'bob@example.com');
  const words = ['members', 'invite', String(org), 'eve@example.com', '--json'];
  const invited = await callCli(words, { env: { ...env, MODELSTATS_MAIL: join(folder, 'mail') }, cwd: folder });
  answers.set('members invite', answersFrom(invited.stdout)[0] ?? {}); // Its link is on stderr.
  await ask('members list', String(org));
  await ask('orgs members', String(org));
  await ask('members revoke', String(org), 'eve@example.com');
  await ask('members remove', String(org), 'bob@example.com');
  const { id: key } = await ask('keys create', '--org', String(org));
  const { id: next } = await ask('keys rotate', String(key));
  await ask('keys revoke', String(next));
  await ask('keys list');
  await ask('orgs audit', String(org));
  await ask('orgs usage', String(org));
  await ask('database backup', 'copy.db');
  await runUntil(
    'serve',
    (said) => said.includes('\n'),
    async () => {},
  );
  const hasPublished = (said: string) => said.includes('\n') && existsSync(health.MODELSTATS_HEALTH_FILE);
  await runUntil('schedule', hasPublished, () => ask('schedule', '--check'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A night under a clock of years ahead, which no command takes. */
async function publishFarAhead(): Promise<void> {
  const clock = () => new Date(`${FAR_AHEAD}T00:05:00Z`);
  const store = await openStore(`file:${join(folder, 'store')}`);
  const request = { day: FAR_AHEAD, source: join(folder, 'source'), dryRun: false, accept: true, acceptSuspects: [] };
  await runNight(request, {
    ...NIGHT_SETTINGS,
    store,
    clock,
    newRunId: () => ulid(),
    workFolder: join(folder, 'ahead'),
  });
}

/** A source that fetches one file, which is served until the test is over. */
async function writeRecipe(recipe: string): Promise<void> {
  const server = await UpstreamServer.start();
  closeServer = () => server.close();
  server.serve('/models.json', '[]');
  const upstreams = [{ id: 'shop', name: 'The shop', url: server.url }];
  const fetch = [{ upstream: 'shop', url: `${server.url}/models.json`, file: 'models.json' }];
  await mkdir(recipe);
  await writeFile(join(recipe, 'source.json'), JSON.stringify({ upstreams, fetch }));
}
let closeServer = async () => {};
afterAll(() => closeServer());

const KEY = 'keys create';
const without = (fields: readonly string[] | undefined, name: string) => fields?.filter((field) => field !== name);

test.each<{ command: string; told: () => readonly string[] | undefined }>([
  ...[
    'nightly',
    'source check',
    'fetch',
    'backfill pricing',
    'status',
    'aliases suggest',
    'doctor',
    'config show',
    'completion',
    'verify',
    'republish',
    'mirror',
    'correct',
    'prune',
    'catalog rebuild',
    'catalog redate',
    'schedule --check',
    'notify test',
  ].map((command) => ({ command, told: () => toldOf(command)[0] })),
  { command: 'schedule', told: () => toldOf('nightly')[0] },
  { command: 'serve', told: () => toldOf('serve --with-schedule')[0] },
  { command: 'orgs audit', told: () => toldOf('orgs audit')[0] },
  { command: 'database backup', told: () => toldOf('database backup')[0] },
  { command: 'orgs usage', told: () => toldOf('orgs usage')[0] },
  { command: 'orgs list', told: () => toldOf('orgs create')[1] },
  { command: 'init', told: () => toldOf('init')[0] },
  { command: 'members add', told: () => toldOf('members add')[0] },
  { command: 'members remove', told: () => toldOf('members add')[0] },
  { command: 'members invite', told: () => toldOf('members invite')[0] },
  { command: 'members revoke', told: () => toldOf('members invite')[0] },
  { command: 'members list', told: () => toldOf('members list')[0] },
  { command: 'orgs members', told: () => toldOf('orgs members')[0] },
  { command: KEY, told: () => toldOf(KEY)[0] },
  { command: 'keys rotate', told: () => [...(toldOf(KEY)[0] ?? []), 'replaced'] },
  { command: 'keys revoke', told: () => without(toldOf(KEY)[0], 'key') },
  { command: 'keys list', told: () => toldOf(KEY)[1] },
])('$command answers with the fields that the specification tells', ({ command, told }) => {
  expect(told()?.length, 'the specification has a row for it').toBeGreaterThan(0);
  expect(Object.keys(answers.get(command) ?? {}).sort()).toEqual([...(told() ?? [])].sort());
});

test('what a check of doctor and a setting are is told too', () => {
  const told = (command: string) => toldOf(command)[0]?.[0];
  expect([told('doctor'), told('config show')]).toEqual(['ok', 'settings']);
  const fieldsOf = (command: string, list: string) => {
    const items = answers.get(command)?.[list];
    return Object.keys((Array.isArray(items) ? items[0] : undefined) ?? {});
  };
  expect(fieldsOf('doctor', 'checks')).toEqual(['check', 'result', 'message', 'advice']);
  expect(fieldsOf('config show', 'settings')).toEqual(['name', 'group', 'value', 'source', 'default']);
});

test('what an organization, an entry of its log, a change of its plan and a night’s events are is told too', () => {
  const terms = toldOf('orgs create')[0]?.filter((field) => field !== '…') ?? [];
  for (const command of ['orgs create', 'orgs set-plan'])
    expect(Object.keys(answers.get(command) ?? {}), command).toEqual(expect.arrayContaining([...terms]));
  expect(answers.get('orgs set-plan')).toMatchObject({
    changed: [{ field: 'plan', from: 'community', to: 'builder' }],
  });
  const entries = answers.get('orgs audit')?.['entries'];
  const [entry] = Array.isArray(entries) ? entries : [];
  expect(Object.keys(entry ?? {}).sort()).toEqual(['action', 'actor', 'at', 'details', 'id', 'origin', 'subject_id']);
  expect(answers.get('nightly')?.['events']).toEqual({ upsert: 2, delete: 0 });
});
