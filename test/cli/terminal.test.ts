/** Sources and servers that send what a terminal would obey: nothing of it reaches the operator's. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { writeDay } from '../support/pipeline/write-day.ts';
import { answersFrom, type CliResult, envOf, runCli } from '../support/processes/cli.ts';

/** What a name may hold: it clears the screen, and turns the direction of text. */
const NAME = '\u009b2J\u202egnp';
/** Sets the title besides. */
const NASTY = `\u001b]0;owned\u0007${NAME}`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-terminal-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]) =>
  runCli(args, { env: envOf({ store: join(folder, 'store'), work: join(folder, 'work') }), cwd: folder });

function expectHarmless({ stdout, stderr }: CliResult): void {
  expect(stdout).not.toMatch(OBEYED);
  expect(stderr).not.toMatch(OBEYED);
}

test('names of records, and --json says them as they are', async () => {
  await writeDay(join(folder, 'names'), { models: [{ id: 'a', name: `A ${NAME}` }] });
  await run('nightly', '--source', 'names', '--day', '2026-06-01');
  await writeDay(join(folder, 'names'), { models: [{ id: 'a', name: 'A' }] });
  await run('nightly', '--source', 'names', '--day', '2026-06-02');
  const shown = await run('correct', '2026-06-02');
  expect(shown.code, shown.stderr).toBe(0);
  expectHarmless(shown);
  expect(shown.stdout).toContain('\\u009b2J');
  const json = await run('correct', '2026-06-02', '--json');
  expectHarmless(json);
  expect(JSON.stringify(answersFrom(json.stdout))).toContain(NAME);
});

test('ids that break a rule, errors of DuckDB, and names of files', async () => {
  await writeDay(join(folder, 'ids'), {
    models: [
      { id: NASTY, name: 'A' },
      { id: 'a', name: 'A' },
    ],
  });
  expectHarmless(await run('source', 'check', 'ids', '--day', '2026-06-03'));
  await writeDay(join(folder, 'sql'), {});
  await writeFile(join(folder, 'sql', 'source.sql'), `-- models\nSELECT error('${NASTY}') AS id, 'A' AS name;\n`);
  const failed = await run('source', 'check', 'sql', '--day', '2026-06-03');
  expect(failed.stdout + failed.stderr).toContain('\\u001b]0;owned');
  expectHarmless(failed);
  await writeFile(join(folder, 'ids', `x${'\u001b'}[2J.csv`), 'a\n1\n');
  expectHarmless(await run('nightly', '--source', 'ids', '--day', '2026-06-03'));
});

test('what a server answers to sync', async () => {
  const server = createServer((_, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'forbidden', message: `no ${NASTY}`, param: NASTY }, detail: NASTY }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  // An address of TCP, as it listens to one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const refused = await run('sync', '--url', url, '--key', 'msk_x', '--into', 'copy.duckdb');
  expect(refused.code).not.toBe(0);
  expectHarmless(refused);
  expect(refused.stderr).toContain('\\u001b]0;owned');
});
