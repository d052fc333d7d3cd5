/** What commands answer with --json, held to the table of specification "JSON answers", whose rows say which fields there are. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import { addDays } from '../../runtime/day.ts';
import { openStore } from '../../storage/open-store.ts';
import { responseFields } from '../support/documents/usage.ts';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { NIGHT_SETTINGS } from '../support/pipeline/temporary-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { responsesFrom, startCli } from '../support/processes/cli.ts';
import { useCli } from '../support/processes/use-cli.ts';

const DAY = '2024-03-01';
const FAR_AHEAD = '2999-01-01';
const { path, env: placesOf, runWith } = useCli();
const answers = new Map<string, Readonly<Record<string, unknown>>>();

beforeAll(async () => {
  const env = {
    ...placesOf(),
    MODELSTATS_PORT: '0',
    MODELSTATS_VIEW: path('view'),
    MODELSTATS_NOTIFY: 'exec:/bin/true',
  };
  const ask = async (name: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await runWith(env, ...name.split(' '), ...args, '--json');
    expect({ code, stderr }, name).toEqual({ code: 0, stderr: '' });
    const [response = {}] = responsesFrom(stdout);
    answers.set(name, response);
    return response;
  };
  const models = [{ id: 'a', name: 'A' }];
  const pricing = [{ model_id: 'a', provider: 'p', input_per_million: 1 }];
  await writeDay(path('source'), { models, pricing });
  await writeFile(path('table.jsonl'), JSON.stringify({ ...pricing[0], effective_from: '2024-02-01' }));
  await ask('init', 'new');
  await ask('doctor');
  await ask('config show');
  await ask('completion', 'bash');
  await ask('nightly', '--source', 'source', '--day', DAY);
  await ask('source check', 'source', '--day', DAY);
  await writeRecipe(path('recipe'));
  await ask('fetch', '--source', 'recipe', '--day', DAY);
  await ask('backfill pricing', '--table', 'table.jsonl');
  await ask('status');
  await ask('notify test');
  await ask('aliases suggest');
  await ask('verify', '--all');
  await ask('republish', DAY);
  await ask('mirror', '--to', `file:${path('second')}`);
  await runWith(env, 'nightly', '--source', 'source', '--day', addDays(DAY, 1));
  await ask('correct', addDays(DAY, 1));
  await ask('prune', '--dry-run');
  await ask('catalog rebuild');
  await publishFarAhead();
  await ask('catalog redate', FAR_AHEAD, '--to', addDays(DAY, 2));
  await ask('digest preview', '--days', '366');
  const { id: org } = await ask('orgs create', '--name', 'Acme');
  await ask('orgs set-plan', '--org', String(org), '--plan', 'builder');
  await ask('orgs list');
  await ask('members add', String(org), 'ada@example.com', '--role', 'owner');
  await ask('members add', String(org), 'bob@example.com');
  const invited = await runWith(env, 'members', 'invite', String(org), 'eve@example.com', '--json');
  answers.set('members invite', responsesFrom(invited.stdout)[0] ?? {}); // Its link is on stderr.
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
  const { child, ended } = startCli(['serve', '--json'], { env, cwd: path() });
  child.stdout?.once('data', () => child.kill('SIGTERM'));
  answers.set('serve', responsesFrom((await ended).stdout)[0] ?? {});
});

/** A night under a clock of years ahead, which no command takes. */
async function publishFarAhead(): Promise<void> {
  const clock = () => new Date(`${FAR_AHEAD}T00:05:00Z`);
  const store = await openStore(`file:${path('store')}`);
  const request = { day: FAR_AHEAD, source: path('source'), dryRun: false, accept: true, acceptSuspects: [] };
  const deps = { ...NIGHT_SETTINGS, store, clock, newRunId: () => ulid(), workFolder: path('ahead') };
  await runNight(request, deps);
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

/** Commands whose answer stands under another's name, or in another place of its row than the first. */
const ELSEWHERE: Readonly<Record<string, () => readonly string[] | undefined>> = {
  serve: () => responseFields('serve --with-schedule')[0],
  'orgs list': () => responseFields('orgs create')[1],
  'members remove': () => responseFields('members add')[0],
  'members revoke': () => responseFields('members invite')[0],
  'keys rotate': () => [...(responseFields('keys create')[0] ?? []), 'replaced'],
  'keys revoke': () => responseFields('keys create')[0]?.filter((field) => field !== 'key'),
  'keys list': () => responseFields('keys create')[1],
};

test.each([
  ...['nightly', 'source check', 'fetch', 'backfill pricing', 'status', 'aliases suggest', 'doctor', 'config show'],
  ...['completion', 'verify', 'republish', 'mirror', 'correct', 'prune', 'catalog rebuild', 'catalog redate', 'init'],
  ...['notify test', 'orgs audit', 'orgs usage', 'orgs members', 'database backup', 'digest preview'],
  ...['members add', 'members invite', 'members list', 'keys create'],
  ...Object.keys(ELSEWHERE),
])('%s answers with the fields that the specification tells', (command) => {
  const told = (ELSEWHERE[command] ?? (() => responseFields(command)[0]))() ?? [];
  expect(told.length, 'the specification has a row for it').toBeGreaterThan(0);
  expect(Object.keys(answers.get(command) ?? {}).sort()).toEqual([...told].sort());
});

test('what a check of doctor and a setting are is told too', () => {
  const told = (command: string) => responseFields(command)[0]?.[0];
  expect([told('doctor'), told('config show')]).toEqual(['ok', 'settings']);
  const fieldsOf = (command: string, list: string) => {
    const items = answers.get(command)?.[list];
    return Object.keys((Array.isArray(items) ? items[0] : undefined) ?? {});
  };
  expect(fieldsOf('doctor', 'checks')).toEqual(['check', 'result', 'message', 'advice']);
  expect(fieldsOf('config show', 'settings')).toEqual(['name', 'group', 'value', 'source', 'default']);
});

test('what an organization, an entry of its log, a change of its plan and a night’s events are is told too', () => {
  const terms = responseFields('orgs create')[0]?.filter((field) => field !== '…') ?? [];
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
