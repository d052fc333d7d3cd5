/** api/guide/pages/agents.md: what it says to configure connects, and what it says to run answers. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ExamplePlace, openExamplePlace } from '../support/client/example-place.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { connect, connectStdio } from '../support/mcp/clients.ts';
import { useMcp } from '../support/mcp/use-mcp.ts';

const DOCUMENT = readFileSync(join(ROOT, 'api/guide/pages/agents.md'), 'utf8');
const blocksOf = (language: string) =>
  [...DOCUMENT.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code);

const mcp = useMcp();
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

// What a client of the older era finds, the same way, is in stdio.test.ts.
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

test('there are configurations for both ways, and commands', () => {
  expect(blocksOf('json').filter((code) => code.includes('"command"'))).toHaveLength(2);
  expect(blocksOf('json').filter((code) => code.includes('"url"'))).toHaveLength(3);
  expect(blocksOf('sh')).toHaveLength(2);
});
