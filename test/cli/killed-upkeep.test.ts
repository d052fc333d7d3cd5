/** The built command, killed while it looks after a store: what it leaves in the work folder goes with the next command. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { begun } from '../support/processes/begun.ts';
import { answersFrom, envOf, runCli, startCli } from '../support/processes/cli.ts';

let nights: TemporaryStore;
let work: string;

beforeAll(async () => {
  nights = await openTemporaryStore();
  for (const day of ['2026-06-01', '2026-06-02']) await nights.night(fixtureSource('days'), day);
  work = await mkdtemp(join(tmpdir(), 'modelstats-work-'));
});
afterAll(() => Promise.all([nights.dispose(), rm(work, { recursive: true, force: true })]));

test('a killed verify leaves only what the next command removes', { timeout: 60_000 }, async () => {
  const env = envOf({ store: nights.folder, work });
  await runCli(['prune', '--dry-run'], { env }); // So that the folder of runs is there to be watched.
  const before = await readdir(join(work, 'runs'));
  const verifying = startCli(['verify', '--all'], { env });
  await begun(verifying, join(work, 'runs'), 'owner');
  verifying.child.kill('SIGKILL');
  expect(await verifying.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(await readdir(work), 'all of it lies below the runs').toEqual(['runs']);
  const [killed = ''] = (await readdir(join(work, 'runs'))).filter((name) => !before.includes(name));
  expect(await readdir(join(work, 'runs', killed))).toContain('owner');

  const { code, stdout } = await runCli(['verify', '--all', '--json'], { env });
  expect({ code, answer: answersFrom(stdout)[0] }).toMatchObject({ code: 0, answer: { ok: true, snapshots: 2 } });
  expect(await readdir(join(work, 'runs', killed))).toEqual([]);
});
