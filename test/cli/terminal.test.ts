/** Sources and servers that send what a terminal would obey: nothing of it reaches the operator's. */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { json, useAnsweringServer } from '../support/client/answering-server.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { type CliResult, envOf, runCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** It sets the title, clears the screen, and turns the direction of text. */
const NASTY = '\u001b]0;owned\u0007\u009b2J\u202egnp';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const path = useFolder();
const server = useAnsweringServer();

const run = (...args: readonly string[]) =>
  runCli(args, { env: envOf({ store: path('store'), work: path('work') }), cwd: path() });

function expectHarmless({ stdout, stderr }: CliResult): void {
  expect(stdout).not.toMatch(OBEYED);
  expect(stderr).not.toMatch(OBEYED);
}

test('ids that break a rule, errors of DuckDB, and names of files', async () => {
  await writeDay(path('ids'), {
    models: [
      { id: NASTY, name: 'A' },
      { id: 'a', name: 'A' },
    ],
  });
  await writeFile(path('ids', `x${'\u001b'}[2J.csv`), 'a\n1\n');
  expectHarmless(await run('source', 'check', 'ids', '--day', '2026-06-03'));
  await writeDay(path('sql'), {});
  await writeFile(path('sql', 'source.sql'), `-- models\nSELECT error('${NASTY}') AS id, 'A' AS name;\n`);
  const failed = await run('source', 'check', 'sql', '--day', '2026-06-03');
  expect(failed.stdout + failed.stderr).toContain('\\u001b]0;owned');
  expectHarmless(failed);
});

test('what a server answers to sync', async () => {
  const error = { code: 'forbidden', message: `no ${NASTY}`, param: NASTY };
  server.answer(json({ error, detail: NASTY }, { status: 403 }));
  const refused = await run('sync', '--url', server.url, '--key', 'msk_x', '--into', 'copy.duckdb');
  expect(refused.code).not.toBe(0);
  expectHarmless(refused);
  expect(refused.stderr).toContain('\\u001b]0;owned');
});
