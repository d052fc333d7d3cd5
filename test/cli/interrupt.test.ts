import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { begun } from '../support/processes/begun.ts';
import { answersFrom, COMMAND, envOf, type Place, runCli, startCli } from '../support/processes/cli.ts';
import { writeInventedDays } from '../worlds/invented-days.ts';

/** Whole nights in processes of their own: a busy machine with a slow disk takes its time. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const DAYS = 3;
/** Of a database whose copy takes a moment. */
const MEBIBYTES = 128;

let folder: string;
let place: Place;
let args: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-interrupt-'));
  place = { store: join(folder, 'store'), work: join(folder, 'work') };
  await writeInventedDays(join(folder, 'source'), DAYS, 1);
  args = ['nightly', '--source', join(folder, 'source'), '--all-days', '--json'];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a night that is stopped', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s ends at once and can be run again', async (signal) => {
    const runs = join(place.work, 'runs');
    await mkdir(runs, { recursive: true });
    const cli = startCli(args, { env: envOf(place) });
    await begun(cli, runs);
    const stopped = performance.now();
    cli.child.kill(signal);
    const result = await cli.ended;
    expect(performance.now() - stopped).toBeLessThan(5_000);
    expect(result).toMatchObject({ code: null, signal });
    expect(result.stderr).toBe(`modelstats: stopped by ${signal}; run the same command again to go on\n`);
    expect(await runCli(args, { env: envOf(place) })).toMatchObject({ code: 0, stderr: '' });
    const left = await readdir(runs, { recursive: true });
    expect(left.filter((path) => /\/(tmp|owner)\b/.test(path))).toEqual([]);
  });
});

describe('a copy of the control database that is stopped', () => {
  test.each(['SIGKILL', 'SIGINT'] as const)('by %s has no name yet, and can be run again', async (signal) => {
    const database = new Sqlite(join(folder, 'accounts.db'));
    database.exec('CREATE TABLE filling (bytes BLOB)');
    for (let n = 0; n < MEBIBYTES; n += 1) database.exec('INSERT INTO filling VALUES (randomblob(1048576))');
    database.close();
    const backups = join(folder, 'backups');
    await mkdir(backups);
    const copy = ['database', 'backup', join(backups, 'copy.db')];
    const env = { ...envOf(place), MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}` };
    const cli = startCli(copy, { env });
    await begun(cli, backups);
    cli.child.kill(signal);
    expect(await cli.ended).toMatchObject({ code: null, signal });
    const left = await readdir(backups);
    expect(left).not.toEqual([]);
    const rest = new RegExp(`^copy\\.db\\.${cli.child.pid}-[0-9a-f]{8}\\.partial(-journal|-wal|-shm)?$`);
    for (const name of left) expect(name).toMatch(rest);
    expect(await runCli(copy, { env })).toMatchObject({ code: 0, stderr: '' });
    expect((await readdir(backups)).sort()).toEqual(['copy.db', ...left].sort());
  });
});

describe('a reader that goes away', () => {
  test.each([
    ['stdout', ['ignore', 'pipe', 'ignore']],
    ['stderr', ['ignore', 'ignore', 'pipe']],
  ] as const)('from %s does not keep the days from being published', async (stream, stdio) => {
    const words = [COMMAND, ...args.filter((arg) => arg !== '--json')];
    const child = spawn(process.execPath, words, { env: { ...process.env, ...envOf(place) }, stdio: [...stdio] });
    child[stream]?.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
    const status = await runCli(['status', '--json'], { env: envOf(place) });
    expect(answersFrom(status.stdout)).toMatchObject([{ snapshots: DAYS }]);
  });
});
