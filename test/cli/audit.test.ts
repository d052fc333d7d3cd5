import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { answersFrom, type CalledCli, callCli, envOf } from '../support/processes/cli.ts';

const SOURCE = fixtureSource('days');
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-audit-'));
  const place = envOf({ store: join(folder, 'store'), work: join(folder, 'work') });
  env = { ...place, MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}` };
});
afterAll(() => rm(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<CalledCli> {
  const result = await callCli([...args, '--json'], { env });
  expect(result.code, result.stderr).toBe(0);
  return result;
}

async function entries(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const [answer] = answersFrom((await run('orgs', 'audit')).stdout);
  return answer?.['entries'] as readonly Readonly<Record<string, unknown>>[];
}

test('without a control database nothing makes one, and nothing is noted', async () => {
  const night = await run('nightly', '--source', SOURCE, '--day', '2026-06-01', '--accept');
  expect(night.stderr).toBe('');
  await run('prune');
  expect(await entries()).toEqual([]); // Which makes one.
});

test('what an operator does to a store leaves a line with who and what; what changes nothing by their word leaves none', async () => {
  const table = join(folder, 'prices.csv');
  await writeFile(table, 'model_id,provider,input_per_million,effective_from\n');
  const second = `file:${join(folder, 'second')}`;
  await run('nightly', '--source', SOURCE, '--day', '2026-06-02');
  await run('nightly', '--source', SOURCE, '--day', '2026-06-03', '--accept', '--accept-suspect', 'pricing:a:b');
  for (const command of ['nightly --accept --day 2026-06-04', 'backfill pricing --table prices.csv', 'prune'])
    await run(
      ...command.split(' ').map((word) => (word === 'prices.csv' ? table : word)),
      '--dry-run',
      ...sourceOf(command),
    );
  await run('prune');
  await run('backfill', 'pricing', '--table', table);
  await run('catalog', 'rebuild');
  await run('republish', '2026-06-02');
  await run('mirror', '--to', second);
  const noted = await entries();
  expect(noted.map(({ action, subject_id: subject }) => [action, subject])).toEqual([
    ['store.mirror', second],
    ['store.republish', env['MODELSTATS_STORE']],
    ['store.rebuild_catalog', env['MODELSTATS_STORE']],
    ['store.backfill_pricing', env['MODELSTATS_STORE']],
    ['store.prune', env['MODELSTATS_STORE']],
    ['night.accept', env['MODELSTATS_STORE']],
  ]);
  expect(noted.every(({ actor }) => /^cli:./.test(String(actor)))).toBe(true);
  expect(noted.at(-1)?.['details']).toEqual({ days: ['2026-06-03'], accept: true, accept_suspects: ['pricing:a:b'] });
});

test('the line is there before the work, so that what fails has one too', async () => {
  const { code } = await callCli(['republish', '2020-01-01', '--json'], { env });
  expect(code).not.toBe(0);
  const [newest] = await entries();
  expect(newest).toMatchObject({ action: 'store.republish', details: { snapshot: '2020-01-01', from: null } });
  const wrong = await callCli(['catalog', 'redate', '2999-01-01', '--to', '2026-06-04'], { env });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no snapshot 2999-01-01') });
  const [later] = await entries();
  expect(later).toMatchObject({ action: 'store.redate', details: { day: '2999-01-01', to: '2026-06-04' } });
});

function sourceOf(command: string): readonly string[] {
  return command.startsWith('nightly') ? ['--source', SOURCE] : [];
}

test('a log that can not be written is told, and the work is done all the same', async () => {
  const broken = join(folder, 'broken.db');
  await writeFile(broken, 'this is no database');
  await chmod(broken, 0o600);
  const { code, stdout, stderr } = await callCli(['prune', '--json'], {
    env: { ...env, MODELSTATS_DATABASE: `sqlite:${broken}` },
  });
  expect([code, answersFrom(stdout)[0]?.['dry_run']], stderr).toEqual([0, false]);
  expect(stderr).toMatch(/^not in the audit log: .*broken\.db/);
});
