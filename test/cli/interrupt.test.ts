import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { begun } from '../support/processes/begun.ts';
import { childrenOf, isRunning } from '../support/processes/children.ts';
import { COMMAND, callCli, envOf, type Place, startCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** Whole nights in processes of their own: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

/** A night that runs it does not end, so that a signal comes in its middle. */
const ENDLESS = `-- models\nSELECT levenshtein(repeat('a', 300000), repeat('b', 300000)) AS id, 'A' AS name\n`;
/** Of a database whose copy takes a moment. */
const MEBIBYTES = 128;

const path = useFolder({ perTest: true });
let place: Place;
let args: string[];

beforeEach(async () => {
  place = { store: path('store'), work: path('work') };
  await writeDay(path('source'), { models: [{ id: 'a', name: 'A' }] });
  await mkdir(path('endless'));
  args = ['nightly', '--source', path('source'), '--json'];
});

const workFiles = () => readdir(join(place.work, 'runs'), { recursive: true }).catch((): readonly string[] => []);

describe.skipIf(process.platform !== 'linux')('a night that is stopped', () => {
  test.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'by %s ends at once with the process of its source.sql, and can be run again',
    async (signal) => {
      await writeFile(path('endless', 'source.sql'), ENDLESS);
      const { child, ended } = startCli(['nightly', '--source', path('endless')], { env: envOf(place) });
      await vi.waitFor(async () => expect((await workFiles()).join()).toMatch(/models\.duckdb/), { timeout: 60_000 });
      const [sandbox = 0] = childrenOf(child.pid ?? 0);
      expect(isRunning(sandbox)).toBe(true);
      child.kill(signal);
      const message = `modelstats: stopped by ${signal}; run the same command again to continue\n`;
      expect(await ended).toMatchObject({ code: null, signal, stderr: signal === 'SIGKILL' ? '' : message });
      await vi.waitFor(() => expect(isRunning(sandbox)).toBe(false), { timeout: 60_000 });
      expect(await callCli(args, { env: envOf(place) })).toMatchObject({ code: 0, stderr: '' });
      expect((await workFiles()).filter((name) => /\/(tmp|owner)\b/.test(name))).toEqual([]);
    },
  );
});

test('a night whose readers go away, of its answer and of its messages, is published', async () => {
  const words = [COMMAND, ...args.filter((arg) => arg !== '--json')];
  const env = { ...process.env, ...envOf(place) };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
  const status = await callCli(['status', '--json'], { env: envOf(place) });
  expect(JSON.parse(status.stdout)).toMatchObject({ snapshots: 1 });
});

test('a copy of the control database that is stopped has no name yet, and can be run again', async () => {
  const database = new Sqlite(path('accounts.db'));
  database.exec('CREATE TABLE filling (bytes BLOB)');
  for (let n = 0; n < MEBIBYTES; n += 1) database.exec('INSERT INTO filling VALUES (randomblob(1048576))');
  database.close();
  const backups = path('backups');
  await mkdir(backups);
  const copy = ['database', 'backup', join(backups, 'copy.db')];
  const env = { ...envOf(place), MODELSTATS_DATABASE: `sqlite:${path('accounts.db')}` };
  const cli = startCli(copy, { env });
  await begun(cli, backups);
  cli.child.kill('SIGKILL'); // No other would be noticed before the copy is made.
  expect(await cli.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  const left = await readdir(backups);
  expect(left).not.toEqual([]);
  const rest = new RegExp(`^copy\\.db\\.${cli.child.pid}-[0-9a-f]{8}\\.partial(-journal|-wal|-shm)?$`);
  for (const name of left) expect(name).toMatch(rest);
  expect(await callCli(copy, { env })).toMatchObject({ code: 0, stderr: '' });
  expect((await readdir(backups)).sort()).toEqual(['copy.db', ...left].sort());
});

test('a verify that is killed leaves only what the next command removes', async () => {
  const nights = await openSampleStore();
  onTestFinished(nights.dispose);
  const [env, runs] = [envOf({ ...place, store: nights.folder }), join(place.work, 'runs')];
  await callCli(['prune', '--dry-run'], { env }); // So that the folder of runs is there to be watched.
  const before = await readdir(runs);
  const verifying = startCli(['verify', '--all'], { env });
  await begun(verifying, runs, 'owner');
  verifying.child.kill('SIGKILL');
  expect(await verifying.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(await readdir(place.work), 'all of it lies below the runs').toEqual(['runs']);
  const [killed = ''] = (await readdir(runs)).filter((name) => !before.includes(name));
  expect(await readdir(join(runs, killed))).toContain('owner');
  expect(await callCli(['verify', '--all'], { env })).toMatchObject({ code: 0 });
  expect(await readdir(join(runs, killed))).toEqual([]);
});
