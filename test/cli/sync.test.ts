import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { loseScore, syncInto, useService, withCopy } from '../support/client/service.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { callCli, responsesFrom, startCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const DAY = '2026-06-01';
const place = useFolder();
const service = useService({ days: (store) => publishFromFixture('days', store, [DAY]) });

const env = () => ({
  MODELSTATS_API_URL: service.url,
  MODELSTATS_API_KEY: service.key,
  MODELSTATS_CLIENT_ATTEMPTS_MAX: '1',
});
const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  callCli(['sync', ...args], { env: { ...env(), ...more } });

test('a sync says what it did, in words or as JSON, and where a copy differs', async () => {
  const into = place('copy.sqlite');
  const first = await run(['--into', into, '--json']);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(responsesFrom(first.stdout)).toEqual([
    {
      status: 'imported',
      snapshot_id: DAY,
      cursor: expect.any(String),
      data_as_of: `${DAY}T23:59:59Z`,
      events: { upsert: 0, delete: 0 },
      warnings: [],
      into,
    },
  ]);
  expect((await run(['--into', into])).stdout).toBe(`${into} was up to date: snapshot ${DAY} as of ${DAY}T23:59:59Z\n`);
  expect(await run(['--into', into, '--check'])).toMatchObject({ code: 0, stdout: `${into} equals snapshot ${DAY}\n` });
  await loseScore(into, place('scores.jsonl'));
  const wrong = await run(['--into', into, '--check', '--json']);
  expect(wrong.code).toBe(1);
  const [response] = responsesFrom(wrong.stdout);
  expect(response).toMatchObject({ ok: false, snapshot_id: DAY, into });
  expect(response?.['differences']).toMatchObject([{ dataset: 'scores', missing: 1, extra: 0, different: 0 }]);
  expect((await run(['--into', into, '--check'])).stdout).toContain('scores differs');
});

test('a line of a folder that lacks its key is told by --check, and mended by the next sync, which warns', async () => {
  const into = place('folder');
  await syncInto(into, service.client());
  await writeFile(join(into, 'scores.jsonl'), '{"value":1}\n');
  const { code, stdout } = await run(['--into', into, '--check']);
  expect(code).toBe(1);
  expect(stdout).toContain(`scores differs from snapshot ${DAY}`);
  expect(stdout).toContain(`stopped: ${into}/scores.jsonl, line 1: model_id and benchmark_id are missing`);
  const next = await run(['--into', into]);
  expect([next.code, next.stdout]).toEqual([0, `${into} was imported: snapshot ${DAY} as of ${DAY}T23:59:59Z\n`]);
  expect(next.stderr).toContain(
    `warning: scores no longer equaled snapshot ${DAY}, because another program changed the copy`,
  );
});

test('what is wrong with a call is told, and exits with 2', async () => {
  const into = place('wrong.sqlite');
  const calls: readonly (readonly [args: readonly string[], env: Readonly<Record<string, string>>, words: string])[] = [
    [['--into', place('copy.txt')], {}, 'a file name must end in one of'],
    [['--into', place('nowhere/copy.duckdb')], {}, 'does not exist'],
    [['--into', into, '--url', 'ftp://example.com'], {}, 'must be an http:// or https:// URL'],
    [['--into', into], { MODELSTATS_API_KEY: '' }, 'an API key is needed'],
    [['--into', into, '--key', 'nonsense'], {}, 'Send a valid API key'],
    [['--into', 'postgres://user:secret@127.0.0.1:1/x'], {}, "can't be opened"],
    [['--into', place('none.sqlite'), '--check'], {}, 'there is no copy at'],
    [['--into', into, '--url', 'http://me:secret@127.0.0.1:1'], {}, 'must not contain a user'],
    [['--into', into, '--key', 'msk_…'], {}, 'visible ASCII'],
    [['--into', into, '--watch', '0'], {}, 'from 1m to 24d'],
    [['--into', into, '--watch', 'often'], {}, 'It must be like 30m'],
  ];
  for (const [args, more, words] of calls) {
    const { code, stderr, stdout } = await run(args, more);
    expect([code, stdout], args.join(' ')).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('secret');
  }
});

test('a service that does not answer exits with 1, after the tries that are allowed', async () => {
  const { code, stderr } = await run(['--into', place('down.sqlite'), '--url', 'http://127.0.0.1:1'], {
    MODELSTATS_CLIENT_ATTEMPTS_MAX: '2',
  });
  expect(code).toBe(1);
  expect(stderr).toContain('retrying in');
  expect(stderr.trim().split('\n')).toHaveLength(2);
});

test('files and tables that are no copy are left alone', async () => {
  await writeFile(place('notes.duckdb'), 'not a database');
  await writeFile(
    place('notes.sqlite'),
    'not a database, but long enough to be looked at as one, which takes some bytes',
  );
  for (const name of ['notes.duckdb', 'notes.sqlite']) {
    const { code, stderr } = await run(['--into', place(name)]);
    expect([code, stderr], name).toEqual([2, expect.stringContaining("can't be opened")]);
  }
  const database = new SqliteDatabase(place('mine.sqlite'));
  database.exec('CREATE TABLE Models (mine TEXT)');
  database.close();
  const { code, stderr } = await run(['--into', place('mine.sqlite')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('has a table models, but is not a copy')]);
});

test('--watch goes on after the first sync, and lets others read the copy in between', async () => {
  const into = place('watched.duckdb');
  const cli = startCli(['sync', '--into', into, '--watch', '1h', '--json'], { env: env() });
  await new Promise((resolve) => cli.child.stdout?.once('data', resolve));
  expect(await withCopy(into, (copy) => copy.state())).toMatchObject({ snapshot_id: DAY });
  cli.child.kill('SIGTERM');
  expect(await cli.ended).toMatchObject({ signal: 'SIGTERM' });
});
