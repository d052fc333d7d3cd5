/**
 * `make mcp-conformance`: the protocol's conformance suite against `modelstats serve`, for each revision. Exit code 1 if the failures
 * differ from the revision's list beside this file, which has the reasons.
 *
 *   node scripts/mcp-conformance/run.mjs [REVISION…]
 *
 * The suite can't send a key and uses the names of its own demonstration, so a proxy adds the key and maps the names.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json, text } from 'node:stream/consumers';

const ROOT = join(import.meta.dirname, '../..');
const COMMAND = join(ROOT, 'dist/bin/modelstats.js');
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const DAY = '2026-06-01';

/** What replaces the suite's names. Listed arguments are renamed; others stay. */
const OURS = {
  test_simple_text: { name: 'get-account' },
  test_error_handling: { name: 'get-model' }, // Without its required id.
  test_simple_prompt: { name: 'what-changed' },
  test_prompt_with_arguments: { name: 'compare-two', arguments: { arg1: 'first', arg2: 'second' } },
  'test://static-text': { uri: 'modelstats://how-to-use' },
};

const folder = mkdtempSync(join(tmpdir(), 'modelstats-conformance-'));
const env = {
  PATH: process.env['PATH'],
  NO_COLOR: '1',
  MODELSTATS_STORE: `file:${join(folder, 'store')}`,
  MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}`,
  MODELSTATS_WORK: join(folder, 'work'),
  MODELSTATS_VIEW: join(folder, 'view'),
  MODELSTATS_PORT: '0',
  MODELSTATS_BACKSTOP: '/mcp=1000000',
};

/** Runs `modelstats ARGS… --json` and returns its result. */
async function runJson(...args) {
  const child = spawn(process.execPath, [COMMAND, ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`modelstats ${args.join(' ')} ended with ${code}`);
  return JSON.parse(output);
}

/** Starts the service; resolves to its URL and a function that stops it. */
async function serve() {
  const child = spawn(process.execPath, [COMMAND, 'serve', '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(line);
  while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** A message with our names instead of the suite's. */
function renamed(message) {
  const { params } = message;
  const ours = OURS[params?.name ?? params?.uri];
  if (ours === undefined) return message;
  const given = Object.entries(params.arguments ?? {}).map(([name, value]) => [ours.arguments?.[name] ?? name, value]);
  const args = params.arguments === undefined ? {} : { arguments: Object.fromEntries(given) };
  return { ...message, params: { ...params, ...args, ...(ours.name ? { name: ours.name } : { uri: ours.uri }) } };
}

/** Starts the proxy; resolves to its URL and a function that stops it. */
async function startProxy(target, key) {
  const server = createServer(async (incoming, outgoing) => {
    const body = incoming.method === 'POST' ? JSON.stringify(renamed(await json(incoming))) : '';
    const headers = { ...incoming.headers, authorization: `Bearer ${key}`, 'content-length': Buffer.byteLength(body) };
    const name = OURS[headers['mcp-name']];
    if (name !== undefined) headers['mcp-name'] = name.name ?? name.uri;
    const { hostname, port } = new URL(target);
    const passed = request({ hostname, port, method: incoming.method, path: incoming.url, headers }, (response) => {
      outgoing.writeHead(response.statusCode, response.rawHeaders);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    passed.end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => void server.close().closeAllConnections() };
}

/** Runs a revision's scenarios and the suite's others; resolves to the exit code. */
async function runSuite(url, revision) {
  const list = join(import.meta.dirname, `${revision}.yaml`);
  const args = ['server', '--url', `${url}/mcp`, '--requirements', revision, '--expected-failures', list];
  const child = spawn(process.execPath, [SUITE, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  console.log(`── revision ${revision}\n${output.slice(Math.max(0, output.indexOf('=== SUMMARY ===')))}`);
  return code;
}

const known = readdirSync(import.meta.dirname).flatMap((name) => /^(.*)\.yaml$/.exec(name)?.slice(1) ?? []);
const revisions = process.argv.length > 2 ? process.argv.slice(2) : known;
try {
  await runJson('nightly', '--source', join(ROOT, 'fixtures/days', DAY), '--day', DAY);
  const { id } = await runJson('orgs', 'create', '--name', 'Conformance', '--plan', 'commercial');
  await runJson('orgs', 'set-plan', '--org', id, '--burst', '1000000');
  const { key } = await runJson('keys', 'create', '--org', id);
  const service = await serve();
  const proxy = await startProxy(service.url, key);
  const codes = [];
  for (const revision of revisions) codes.push(await runSuite(proxy.url, revision));
  proxy.stop();
  await service.stop();
  process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
