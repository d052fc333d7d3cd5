import { chmod, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { responsesFrom } from '../support/processes/cli.ts';
import { useCli } from '../support/processes/use-cli.ts';

const SOURCE = ['--source', fixtureSource('days')];
const { path, env, run, runWith, ask } = useCli();

async function entries(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await ask('orgs', 'audit'))['entries'] as readonly Readonly<Record<string, unknown>>[]; // A list of them.
}

test('without a control database nothing makes one, and nothing is noted', async () => {
  await ask('nightly', ...SOURCE, '--day', '2026-06-01', '--accept');
  await ask('prune');
  expect(await entries()).toEqual([]); // Which makes one.
});

test('what an operator does to a store leaves a line with who and what; what changes nothing by their word leaves none', async () => {
  await writeFile(path('prices.csv'), 'model_id,provider,input_per_million,effective_from\n');
  const second = `file:${path('second')}`;
  const backfill = ['backfill', 'pricing', '--table', 'prices.csv'];
  await run('nightly', ...SOURCE, '--day', '2026-06-02', '--json');
  await ask('nightly', ...SOURCE, '--day', '2026-06-03', '--accept', '--accept-suspect', 'pricing:a:b');
  for (const words of [['nightly', ...SOURCE, '--accept', '--day', '2026-06-04'], backfill, ['prune']])
    await ask(...words, '--dry-run');
  await ask('prune');
  await ask(...backfill);
  await ask('catalog', 'rebuild');
  await ask('republish', '2026-06-02');
  await ask('mirror', '--to', second);
  const noted = await entries();
  const store = env()['MODELSTATS_STORE'];
  expect(noted.map(({ action, subject_id: subject }) => [action, subject])).toEqual([
    ['store.mirror', second],
    ['store.republish', store],
    ['store.rebuild_catalog', store],
    ['store.backfill_pricing', store],
    ['store.prune', store],
    ['night.accept', store],
  ]);
  expect(noted.every(({ actor }) => /^cli:./.test(String(actor)))).toBe(true);
  expect(noted.at(-1)?.['details']).toEqual({ days: ['2026-06-03'], accept: true, accept_suspects: ['pricing:a:b'] });
});

test('the line is there before the work, so that what fails has one too', async () => {
  expect((await run('republish', '2020-01-01')).code).not.toBe(0);
  const [newest] = await entries();
  expect(newest).toMatchObject({ action: 'store.republish', details: { snapshot: '2020-01-01', from: null } });
  const wrong = await run('catalog', 'redate', '2999-01-01', '--to', '2026-06-04');
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no snapshot 2999-01-01') });
  const [later] = await entries();
  expect(later).toMatchObject({ action: 'store.redate', details: { day: '2999-01-01', to: '2026-06-04' } });
});

test('a log that can not be written is told, and the work is done all the same', async () => {
  await writeFile(path('broken.db'), 'this is no database');
  await chmod(path('broken.db'), 0o600);
  const broken = { MODELSTATS_DATABASE: `sqlite:${path('broken.db')}` };
  const { code, stdout, stderr } = await runWith(broken, 'prune', '--json');
  expect([code, responsesFrom(stdout)[0]?.['dry_run']], stderr).toEqual([0, false]);
  expect(stderr).toMatch(/^not recorded in the audit log: .*broken\.db/);
});
