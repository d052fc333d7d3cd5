/**
 * The served API against requests that Schemathesis makes out of its OpenAPI document: wrong ones and right ones, alone and
 * one after another. `make test-fuzz` installs it.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../api/openapi/openapi-document.ts';
import { DATA_ROUTES } from '../api/routes.ts';
import { envOf, type RunningCli, runCli, startCli } from './cli.ts';
import { fixtureSource } from './nights.ts';

const ROOT = join(import.meta.dirname, '..');
const TOOLS = join(ROOT, '.tools/fuzz/bin');
const OPERATIONS = Object.keys(openApiDocument(DATA_ROUTES, { serverUrl: '', hasLimits: false }).paths ?? {});
/** Requests per operation and phase. */
const EXAMPLES = '60';
/** The same requests each time; change it to go elsewhere. */
const SEED = '20260630';

let folder: string;
let served: RunningCli | undefined;
let documentPath: string;
/** What Schemathesis says of each operation; undefined: it was not tested. */
const verdicts = new Map<string, string>();

beforeAll(async () => {
  if (!existsSync(TOOLS)) throw new Error(`${TOOLS} is not there: run "make test-fuzz"`);
  folder = await mkdtemp(join(tmpdir(), 'modelstats-fuzz-'));
  const env = {
    ...envOf({ store: join(folder, 'store'), work: join(folder, 'work') }),
    ...{ MODELSTATS_VIEW: join(folder, 'view'), MODELSTATS_PORT: '0', MODELSTATS_LOG_LEVEL: 'fatal' },
  };
  const nights = await runCli(['nightly', '--source', fixtureSource('days'), '--all-days'], { env });
  expect(nights).toMatchObject({ code: 0 });
  served = startCli(['serve', '--json'], { env });
  const url = await readUrl(served);
  await waitUntilReady(url);
  documentPath = join(folder, 'openapi.json');
  await writeFile(documentPath, await documentOf(url));
  await runSchemathesis(url);
}, 300_000);

afterAll(async () => {
  served?.child.kill('SIGTERM');
  const ended = await served?.ended;
  await rm(folder, { recursive: true, force: true });
  expect(ended?.code, 'the service ends cleanly after all of this').toBe(0);
}, 60_000);

/** The address that `serve --json` prints. */
async function readUrl({ child, ended }: RunningCli): Promise<string> {
  if (child.stdout === null) throw new Error('the service has no output');
  const lines = createInterface(child.stdout);
  const [line] = await Promise.race([
    once(lines, 'line'),
    ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return JSON.parse(String(line)).url;
}

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await fetch(`${url}/health/ready`)).ok) return;
    await sleep(100);
  }
  throw new Error('the service did not get ready');
}

/** The document as it is served, with examples that the published days have. */
async function documentOf(url: string): Promise<string> {
  const response = await fetch(`${url}/openapi.json`);
  const document = await response.text();
  const examples = { 'gpt-5.4-mini': 'aurora-2', 'aider-polyglot--percent-correct': 'code-arena', text: 'general' };
  const fitting = Object.entries(examples).reduce((text, [ours, theirs]) => {
    return text.replaceAll(`"example":"${ours}"`, `"example":"${theirs}"`);
  }, document);
  // A service that asks nobody for a key is not to be blamed for taking requests without one.
  const isOpen = (await fetch(`${url}/v1/categories`)).ok;
  return isOpen ? JSON.stringify({ ...JSON.parse(fitting), security: [] }) : fitting;
}

async function runSchemathesis(url: string): Promise<void> {
  const report = join(folder, 'junit.xml');
  const args = ['--seed', SEED, '--max-examples', EXAMPLES, '--report', 'junit', '--report-junit-path', report];
  const run = spawnSync(
    join(TOOLS, 'schemathesis'),
    ['--config-file', join(ROOT, 'scripts/schemathesis.toml'), 'run', documentPath, '--url', url, ...args],
    { cwd: folder, encoding: 'utf8', timeout: 200_000, maxBuffer: 1 << 28 },
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
