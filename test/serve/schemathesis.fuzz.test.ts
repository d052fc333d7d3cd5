/**
 * The served API against requests that Schemathesis makes out of its OpenAPI document: wrong ones and right ones, alone and
 * one after another. `make test-fuzz` installs it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../../api/data/openapi/openapi-document.ts';
import { DATA_ROUTES } from '../../api/data/routes/data-routes.ts';
import { publicRoutes } from '../../api/site/public.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { envOf, responsesFrom, runCli } from '../support/processes/cli.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { useFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const TOOLS = join(ROOT, '.tools/fuzz/bin');
const OPERATIONS = Object.keys(
  openApiDocument(DATA_ROUTES, { serverUrl: '', hasLimits: true, openRoutes: publicRoutes(() => true) }).paths ?? {},
);
/** Requests per operation and phase. */
const EXAMPLES = '60';
/** The same requests each time; change it to go elsewhere. */
const SEED = '20260630';

const folder = useFolder();
let serving: ServingProcess | undefined;
let documentPath: string;
/** What Schemathesis says of each operation; undefined: it was not tested. */
const verdicts = new Map<string, string>();

beforeAll(async () => {
  if (!existsSync(TOOLS)) throw new Error(`${TOOLS} is not there: run "make test-fuzz"`);
  const store = folder('store');
  const database = `sqlite:${folder('accounts.db')}`;
  const env = { ...envOf({ store, work: folder('work') }), MODELSTATS_DATABASE: database };
  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli([...args, '--json'], { env });
    expect(code, stderr).toBe(0);
    return responsesFrom(stdout)[0] ?? {};
  };
  await ask('nightly', '--source', fixtureSource('days'), '--all-days');
  const { id } = await ask('orgs', 'create', '--name', 'Fuzz', '--plan', 'commercial');
  const { key } = await ask('keys', 'create', '--org', String(id));
  // Counted but not refused: the limits have tests of their own.
  const limits = { MODELSTATS_ENFORCEMENT: 'measure', MODELSTATS_PUBLIC_REQUESTS_MAX: '1000000' };
  serving = await ServingProcess.start({ store, database, env: limits });
  documentPath = folder('openapi.json');
  await writeFile(documentPath, await documentOf(serving.url));
  await runSchemathesis(serving.url, String(key));
}, 300_000);

afterAll(async () => {
  const isRunning = serving?.isRunning;
  await serving?.dispose();
  expect(isRunning, 'the service is still there after all of this').toBe(true);
}, 60_000);

/** The document as it is served, with examples that the published days have. */
async function documentOf(url: string): Promise<string> {
  const response = await fetch(`${url}/openapi.json`);
  const document = await response.text();
  const examples = {
    'gpt-5.4-mini': 'aurora-2',
    'gpt-5': 'aurora-2',
    'aider-polyglot--percent-correct': 'code-arena',
    text: 'general',
  };
  return Object.entries(examples).reduce((text, [ours, theirs]) => {
    return text.replaceAll(`"example":"${ours}"`, `"example":"${theirs}"`);
  }, document);
}

async function runSchemathesis(url: string, key: string): Promise<void> {
  const report = folder('junit.xml');
  const args = ['--seed', SEED, '--max-examples', EXAMPLES, '--report', 'junit', '--report-junit-path', report];
  const checks = [
    '--header',
    `Authorization: Bearer ${key}`,
    '--exclude-checks',
    'ignored_auth,missing_required_header',
  ];
  const run = spawnSync(
    join(TOOLS, 'schemathesis'),
    ['--config-file', join(ROOT, 'scripts/schemathesis.toml'), 'run', documentPath, '--url', url, ...args, ...checks],
    { cwd: folder(), encoding: 'utf8', timeout: 200_000, maxBuffer: 1 << 28 },
  );
  const summary = run.stdout.slice(run.stdout.lastIndexOf('= SUMMARY ='));
  verdicts.set('all', run.status === 0 ? 'passed' : `exit ${run.status} ${run.signal ?? ''} ${summary} ${run.stderr}`);
  const xml = await readFile(report, 'utf8').catch(() => '');
  for (const [, name = '', end, body = ''] of xml.matchAll(
    /<testcase name="([^"]+)"[^>]*?(\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    verdicts.set(name, end === '/>' ? 'passed' : body.slice(0, 4000));
  }
}

test('an independent validator takes the document', () => {
  const { status, stdout, stderr } = spawnSync(join(TOOLS, 'openapi-spec-validator'), [documentPath], {
    encoding: 'utf8',
  });
  expect([status, stderr], stdout).toEqual([0, '']);
});

test.each(OPERATIONS)('GET %s answers as documented, whatever Schemathesis asks', (path) => {
  expect(verdicts.get(`GET ${path}`)).toBe('passed');
});

test('so do chains of requests, each made of the answer before', () => {
  expect(verdicts.get('Stateful tests')).toBe('passed');
});

test('the run as a whole succeeded', () => {
  expect(verdicts.get('all')).toBe('passed');
});
