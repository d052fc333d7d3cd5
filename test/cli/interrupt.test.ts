import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { begun } from '../support/processes/begun.ts';
import { COMMAND, callCli, envOf, type Place, startCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { writeInventedDays } from '../worlds/invented-days.ts';

const DAYS = 3;
/** Of a database whose copy takes a moment. */
const MEBIBYTES = 128;

const path = useFolder({ perTest: true });
let place: Place;
let args: string[];

beforeEach(async () => {
  place = { store: path('store'), work: path('work') };
  await writeInventedDays(path('source'), DAYS, 1);
  args = ['nightly', '--source', path('source'), '--all-days', '--json'];
});

describe('a night that is stopped', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s ends at once and can be run again', async (signal) => {
    const runs = join(place.work, 'runs');
    await mkdir(runs, { recursive: true });
    const cli = startCli(args, { env: envOf(place) });
    await begun(cli, runs);
    cli.child.kill(signal);
    const result = await cli.ended;
    expect(result).toMatchObject({ code: null, signal });
    expect(result.stderr).toBe(`modelstats: stopped by ${signal}; run the same command again to go on\n`);
    expect(await callCli(args, { env: envOf(place) })).toMatchObject({ code: 0, stderr: '' });
    const left = await readdir(runs, { recursive: true });
    expect(left.filter((name) => /\/(tmp|owner)\b/.test(name))).toEqual([]);
  });
});

describe('a copy of the control database that is stopped', () => {
  test.each(['SIGKILL', 'SIGINT'] as const)('by %s has no name yet, and can be run again', async (signal) => {
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
    cli.child.kill(signal);
    expect(await cli.ended).toMatchObject({ code: null, signal });
    const left = await readdir(backups);
    expect(left).not.toEqual([]);
    const rest = new RegExp(`^copy\\.db\\.${cli.child.pid}-[0-9a-f]{8}\\.partial(-journal|-wal|-shm)?$`);
    for (const name of left) expect(name).toMatch(rest);
    expect(await callCli(copy, { env })).toMatchObject({ code: 0, stderr: '' });
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
    const status = await callCli(['status', '--json'], { env: envOf(place) });
    expect(JSON.parse(status.stdout)).toMatchObject({ snapshots: DAYS });
  });
});
