/**
 * `modelstats mcp --stdio`: the built command between both official clients, or bare lines, and the service over HTTP; and what
 * api/guide/pages/agents.md says to configure and to run.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ExamplePlace, openExamplePlace } from '../support/client/example-place.ts';
import { hasPython } from '../support/client/python.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { connect, connectStdio, ERAS } from '../support/mcp/clients.ts';
import { LIST_TOOLS, toolCall } from '../support/mcp/messages.ts';
import { hostedServer, startStdio } from '../support/mcp/stdio.ts';
import { useMcp } from '../support/mcp/use-mcp.ts';
import { callCli } from '../support/processes/cli.ts';
import { FaultProxy, type ProxiedRequest } from '../support/processes/fault-proxy.ts';

const mcp = useMcp();
let proxy: FaultProxy;
beforeAll(async () => {
  proxy = await FaultProxy.start(new URL(mcp.url).origin);
});
beforeEach(() => proxy.reset());
afterAll(() => proxy.stop());

const QUICK = { MODELSTATS_CLIENT_RETRY_MAX_MS: '10', MODELSTATS_CLIENT_ATTEMPTS_MAX: '3' };

/** What it is configured with to ask the service through the proxy. */
function envOf({ key }: { readonly key: string }, more: Readonly<Record<string, string>> = {}) {
  return { MODELSTATS_API_URL: proxy.endpoint, MODELSTATS_API_KEY: key, ...QUICK, ...more };
}

const isMessage = ({ method }: ProxiedRequest) => method === 'POST';

describe.each(ERAS)('a client of the %s era', (era) => {
  test('finds over standard input and output what it finds over HTTP, at the same cost', async () => {
    const customer = await mcp.addCustomer(10);
    const [near, far] = [
      await connectStdio(era, hostedServer(envOf(customer))),
      await connect(era, mcp.url, customer.key),
    ];
    expect(await near.listTools()).toEqual(await far.listTools());
    expect(await near.listResources()).toEqual(await far.listResources());
    expect(await near.getPrompt('compare-two', { first: 'Ä', second: 'b' })).toContain('"Ä"');
    expect(await mcp.usedBy(customer)).toBe(0);
    expect(await near.readResource('modelstats://providers')).toContain('nimbus');
    expect(await near.call('list-models', { limit: 2 })).toEqual(await far.call('list-models', { limit: 2 }));
    expect(await near.call('get-model', { model: 'nobody' })).toMatchObject({
      isError: true,
      data: { error: { code: 'not_found' } },
    });
    expect(await mcp.usedBy(customer)).toBe(3);
    await expect(near.call('no-such-tool')).rejects.toThrow('There is no such tool');
    await expect(near.readResource('modelstats://nöthing')).rejects.toThrow('There is no such resource');
  });
});

test('every line on stdout is a message, also for what is none, and the end of the input ends it with 0', async () => {
  const stdio = startStdio(envOf(await mcp.addCustomer(1)));
  for (const line of ['nonsense', '', '[]', '{"jsonrpc":"2.0","id":null,"method":"x"}', `"${'x'.repeat(2 ** 20)}"`]) {
    stdio.send(line);
  }
  stdio.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  stdio.send({ ...LIST_TOOLS, id: 'a' });
  stdio.send({ jsonrpc: '2.0', id: 2, method: 'no/method' });
  stdio.endInput();
  const { code, stdout, stderr } = await stdio.ended;
  expect([code, stderr]).toEqual([0, '']);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const codes = answers.flatMap(({ id, error }) => (error === undefined ? [] : [`${id} ${error.code}`]));
  expect(codes.sort()).toEqual(['2 -32601', 'null -32600', 'null -32600', 'null -32600', 'null -32700']);
  expect(answers.flatMap(({ id, result }) => (result === undefined ? [] : [id]))).toEqual(['a']);
});

test('a message that the service fails is sent again, and stderr says so', async () => {
  const customer = await mcp.addCustomer(10);
  const stdio = startStdio(envOf(customer));
  proxy.failNext(isMessage, { is: 'answer', status: 503, code: 'SlowDown' }, 2);
  stdio.send(toolCall('list-models'));
  expect(await stdio.next()).toMatchObject({ id: 1, result: { structuredContent: { total: 15 } } });
  expect(await mcp.usedBy(customer)).toBe(1);
  stdio.endInput();
  expect((await stdio.ended).stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^tools\/call: .*; retrying in 1 s$/),
    expect.stringMatching(/^tools\/call: .*; retrying in 1 s$/),
  ]);
});

test('a service that is down, or has no MCP there, is an error of each request, and may come back', async () => {
  const customer = await mcp.addCustomer(10);
  const stdio = startStdio(envOf(customer));
  proxy.failNext(isMessage, { is: 'answer-lost' }, 3);
  stdio.send(LIST_TOOLS);
  expect(await stdio.next()).toMatchObject({ id: 1, error: { code: -32603, data: { code: 'no_answer' } } });
  proxy.failNext(isMessage, { is: 'answer', status: 404, code: 'NotFound' });
  stdio.send(LIST_TOOLS);
  expect(await stdio.next()).toMatchObject({
    error: { message: expect.stringContaining(`MCP is not available at ${proxy.endpoint}/mcp`), data: { status: 404 } },
  });
  stdio.send(LIST_TOOLS);
  expect(await stdio.next()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  stdio.endInput();
  expect((await stdio.ended).code).toBe(0);
});

test('a key that is refused is told to the program, and ends it with 2', async () => {
  const stdio = startStdio(envOf({ key: 'msk_wrong' }));
  stdio.send(LIST_TOOLS);
  expect(await stdio.next()).toMatchObject({ id: 1, error: { data: { code: 'unauthenticated', status: 401 } } });
  const { code, stderr } = await stdio.ended;
  expect(code).toBe(2);
  expect(stderr).toContain('modelstats: Send a valid API key');
  expect(stderr).not.toContain('msk_wrong');
});

test('a limit per minute is waited for, unless it lasts longer than may be waited', async () => {
  const customer = await mcp.addCustomer(10);
  const tooMany = { is: 'answer', status: 429, code: 'Slow', headers: { 'retry-after': '1' } } as const;
  proxy.failNext(isMessage, tooMany);
  const patient = startStdio(envOf(customer));
  patient.send(LIST_TOOLS);
  expect(await patient.next()).toMatchObject({ result: { tools: expect.any(Array) } });

  proxy.failNext(isMessage, tooMany);
  const impatient = startStdio(envOf(customer, { MODELSTATS_CLIENT_LIMIT_WAIT_MAX_MS: '100' }));
  impatient.send(LIST_TOOLS);
  expect(await impatient.next()).toMatchObject({ error: { data: { status: 429, retry_after_seconds: 1 } } });
});

describe('while a call is under way', () => {
  /** A process whose call number 1 is never answered. */
  async function startedCall() {
    proxy.failNext(isMessage, { is: 'silence' });
    const stdio = startStdio(envOf(await mcp.addCustomer(10)));
    const sent = proxy.arrival(isMessage, AbortSignal.timeout(20_000));
    stdio.send(toolCall('list-models'));
    await sent;
    return stdio;
  }

  test('the program can call it off, and hears no more of it', async () => {
    const stdio = await startedCall();
    stdio.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    stdio.send({ ...LIST_TOOLS, id: 2 });
    expect(await stdio.next()).toMatchObject({ id: 2 });
    stdio.endInput();
    expect(await stdio.ended).toMatchObject({ code: 0, stderr: '' });
    expect(proxy.requests).toHaveLength(2);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it at once, with 0', async (signal) => {
    const stdio = await startedCall();
    stdio.kill(signal);
    expect(await stdio.ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  test('it ends when nobody reads its answers any more', async () => {
    const stdio = await startedCall();
    const ended = stdio.closeOutput();
    stdio.send({ ...LIST_TOOLS, id: 2 });
    expect(await ended).toBe(0);
  });
});

test.each([
  [{ MODELSTATS_API_KEY: 'k' }, [], 'set the service'],
  [{ MODELSTATS_API_URL: 'http://127.0.0.1:1' }, [], 'an API key is needed'],
  [{ MODELSTATS_API_KEY: 'k' }, ['--url', 'ftp://example.com'], 'must be an http:// or https:// URL'],
])('with %o and %o nothing is started: exit code 2', async (env, args, words) => {
  const { code, stdout, stderr } = await callCli(['mcp', '--stdio', ...args], { env });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)]);
});

const DOCUMENT = readFileSync(join(ROOT, 'api/guide/pages/agents.md'), 'utf8');
const blocksOf = (language: string) =>
  [...DOCUMENT.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code);

let place: ExamplePlace;
beforeAll(async () => {
  const { key } = mcp.api.accounts.customers.commercial;
  place = await openExamplePlace({ url: new URL(mcp.url).origin, key });
});
afterAll(() => place.remove());

/** With the address and the key of this service in the place of those that are shown. */
function real(text: string): string {
  const { key } = mcp.api.accounts.customers.commercial;
  const shown: Readonly<Record<string, string>> = { ...place.replaced, '${input:modelstats-key}': key };
  return Object.entries(shown).reduce((all, [name, value]) => all.replaceAll(name, value), text);
}

/** A server as hosts are told it: over HTTP, or a program to start. */
interface Configured {
  readonly url?: string;
  readonly headers?: { readonly Authorization: string };
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function serverIn(configuration: string): Configured {
  const { mcpServers, servers = mcpServers } = JSON.parse(real(configuration));
  return servers.modelstats;
}

/** The one that has no key leads to signing in, which takes a browser (test/mcp/oauth). */
const WITH_KEY = blocksOf('json').filter((code) => /headers|command/.test(code));

test.each(WITH_KEY.map((code, index) => [index + 1, code] as const))(
  'a host connects by the configuration in block %i',
  async (_, code) => {
    const { url = '', headers, command, args = [], env = {} } = serverIn(code);
    const key = headers?.Authorization.replace(/^Bearer /, '') ?? '';
    const started = { args, env: { ...env, PATH: String(place.env['PATH']) } };
    const client = await (command ? connectStdio('new', { command, ...started }) : connect('new', url, key));
    expect((await client.listTools()).map(({ name }) => name)).toContain('list-models');
  },
);

test.each(blocksOf('sh').map((code, index) => [index + 1, code] as const))(
  'the command in block %i is answered with the result of a tool',
  async (_, code) => {
    const options = { cwd: place.folder, env: { ...process.env, ...place.env } };
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', real(code)], options);
    const message = stdout.split('\n').find((line) => /^(?:data: )?\{/.test(line)) ?? '';
    expect(JSON.parse(message.replace(/^data: /, ''))).toMatchObject({
      id: 1,
      result: { content: [{ type: 'text' }], structuredContent: {} },
    });
  },
);

test.for(['python', 'ts'])(
  'the program in %s lists the tools and is answered with the result of one',
  async (language, { skip }) => {
    skip(language === 'python' && !hasPython('mcp', 'httpx2'), 'the packages that it needs are not here');
    const [file, command] = language === 'ts' ? ['client.mts', process.execPath] : ['client.py', 'python3'];
    await writeFile(join(place.folder, file), real(blocksOf(language).join('')));
    await symlink(
      join(ROOT, 'node_modules/@modelcontextprotocol'),
      join(place.folder, 'node_modules/@modelcontextprotocol'),
    ).catch(
      () => undefined, // It is there already.
    );
    const options = { cwd: place.folder, env: { ...process.env, ...place.env } };
    const { stdout } = await promisify(execFile)(command, [file], options);
    expect(stdout).toContain("'list-models'");
    expect(stdout).toMatch(/'?total'?: \d+/);
  },
);

test('there are configurations for both ways, and commands', () => {
  expect(blocksOf('json').filter((code) => code.includes('"command"'))).toHaveLength(2);
  expect(blocksOf('json').filter((code) => code.includes('"url"'))).toHaveLength(3);
  expect(blocksOf('sh')).toHaveLength(2);
});
